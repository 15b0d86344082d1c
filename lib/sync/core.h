/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What all of lib/sync is made of: a number of threads that wait, and one loop.
 *
 * Who wants something counts itself, looks whether it can have it, and suspends itself if not, on the
 * address of the number. Who gives something back looks at the number afterwards and, if it is not 0,
 * has the scheduler resume the most important of these threads. A thread tells the scheduler since
 * when it has not looked: if something was given back since then it looks again. So no wake-up is
 * lost; one that comes for nothing costs a turn of the loop.
 *
 * For components that import sched under that name. A component is on one CPU; as many threads as
 * there are can be in it, and what is not contended costs some instructions, no kernel call, no
 * invocation.
 *
 * Every function with a deadline takes a time stamp of limpet_time(), or LIMPET_NEVER, and returns
 * LIMPET_ETIME when it came first. What has become free by then is taken nevertheless. Besides the
 * errors that each function lists, one that has to wait or to wake somebody returns what the
 * scheduler says: LIMPET_ESTATE: the thread is none of its (component_init() must not wait);
 * LIMPET_ECRASH: it crashed.
 *
 * All is in the component's memory: a thread that leaves by a crash keeps what it has, and what
 * else waits for it does so to its deadline. A restart from a checkpoint makes everything what it
 * was then; one from the image makes it free.
 */
#ifndef SYNC_CORE_H
#define SYNC_CORE_H

#include <runtime/component.h>

/*
 * Takes what `object` has, if it can be had: true. Else *owner is the id of the thread that has
 * it, 0 when that is unknown.
 */
typedef bool sync_try(void *object, const void *want, word *owner);

/* Waits until `try` succeeds or the time comes. While it waits its importance is the owner's, too. */
long sync_wait(uint32_t *waiters, sync_try *try, void *object, const void *want, uint64_t deadline);
/* Wakes the most important of those that wait. */
long sync_wake_best(const uint32_t *waiters);
/* Wakes a thread that waits for a thread, not for an object. */
long sync_wake_thread(unsigned int thread);
/* Wakes all that wait, if any. */
long sync_wake_each(const uint32_t *waiters);

/* Something was given back: wakes the most important of those that wait, if any. */
static inline long sync_wake(const uint32_t *waiters)
{
	return likely(!__atomic_load_n(waiters, __ATOMIC_SEQ_CST)) ? LIMPET_OK
								   : sync_wake_best(waiters);
}

#endif
