/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements a mutex without error codes, for components that import sched under the name sched. A
 * lock of zeros is free. If the lock cannot be taken, because the thread holds it already or the
 * scheduler has crashed, the component faults.
 */
#ifndef SYNC_LOCK_H
#define SYNC_LOCK_H

#include <sync/mutex.h>

struct lock {
	struct mutex mutex;
};

/*
 * Waits until the lock is free and takes it. A sched_wake() of the thread during the wait is kept for its next
 * sched_block().
 */
void lock_take(struct lock *lock);
/* Releases the lock. A waiting thread of higher priority runs immediately. */
void lock_drop(struct lock *lock);

#endif
