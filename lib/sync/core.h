/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What all of lib/sync is made of: a bitmap of the threads that wait, and one loop.
 *
 * Who wants something sets its bit, looks whether it can have it, and suspends itself if not. Who
 * gives something back looks at the bitmap afterwards and, if a bit is set, has the scheduler
 * resume the most important of these threads. A wake-up that comes before its thread is suspended
 * is kept, so none is lost; one that comes for nothing costs a turn of the loop. Each bit belongs
 * to its thread: nobody else clears it.
 *
 * For components that import sched under that name. A component is on one CPU; at most 64 threads
 * can be in it, and what is not contended costs some instructions, no kernel call, no invocation.
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
long sync_wait(uint64_t *waiters, sync_try *try, void *object, const void *want, uint64_t deadline);
/* Wakes the most important of these threads; there is at least one. */
long sync_wake_best(uint64_t threads);
/* Wakes a thread that waits for others than a bitmap tells. */
long sync_wake_thread(unsigned int thread);
/* Wakes each of these threads, the most important first. */
long sync_wake_each(uint64_t threads);

/* The calling thread's bit. */
static inline uint64_t sync_self(void)
{
	return 1ul << limpet_thread_id();
}

/* Something was given back: wakes the most important of those that wait, if any. */
static inline long sync_wake(const uint64_t *waiters)
{
	uint64_t threads = __atomic_load_n(waiters, __ATOMIC_SEQ_CST);

	return likely(!threads) ? LIMPET_OK : sync_wake_best(threads);
}

#endif
