/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A lock between the threads that are inside a component, for components that import sched under
 * the name sched. All zero is free. The owner's priority is not raised: a thread waits as long as
 * the owner and all that is more important than the owner run. Hold it for short, bounded work.
 */
#ifndef RUNTIME_LOCK_H
#define RUNTIME_LOCK_H

#include <runtime/types.h>

struct lock {
	uint32_t owner;	  /* 1 + id of the thread that has it, 0: free */
	uint64_t waiters; /* bit n: thread n waits */
};

/* Waits until the lock is free and takes it; sched_wake() of the thread meanwhile is kept. */
void lock_take(struct lock *lock);
/* Gives it up. A thread that waits, and is more important, runs at once. */
void lock_drop(struct lock *lock);

#endif
