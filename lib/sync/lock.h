/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A mutex for those who cannot go on without it, for components that import sched under the name
 * sched. All zero is free. When it cannot be had, because the thread has it already or the scheduler
 * has crashed, the component faults.
 */
#ifndef SYNC_LOCK_H
#define SYNC_LOCK_H

#include <sync/mutex.h>

struct lock {
	struct mutex mutex;
};

/* Waits until the lock is free and takes it; sched_wake() of the thread meanwhile is kept. */
void lock_take(struct lock *lock);
/* Gives it up. A thread that waits, and is more important, runs at once. */
void lock_drop(struct lock *lock);

#endif
