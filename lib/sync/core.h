/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the wait loop that all objects of lib/sync use. Each object has a number of waiting threads.
 *
 * A thread that wants an object increments the number, tries to take the object and, if it cannot, suspends itself on
 * the address of the number. A thread that releases an object then reads the number and, if it is not 0, makes the
 * scheduler resume the waiting thread of highest priority. A waiting thread passes the time of its last try to the
 * scheduler, and tries again if the object was released since then. So wake-ups are not lost, and a spurious one costs
 * one iteration of the loop.
 *
 * For components that import sched under that name. A component is on one CPU, and any number of threads can be in it.
 * An uncontended operation costs a few instructions, without a kernel call or invocation.
 *
 * A deadline is a time stamp of limpet_time() or LIMPET_NEVER. A function returns LIMPET_ETIME if it passes first,
 * unless the object is free by then. Functions that return a status return 0 on success. In addition to the errors that
 * each function lists, a function that waits or wakes a thread returns the errors of the scheduler: LIMPET_ESTATE: the
 * scheduler does not schedule the thread (component_init() must not wait); LIMPET_ECRASH: the scheduler crashed.
 *
 * All state is in the component's memory. A thread that leaves the component because of a crash keeps its objects, and
 * threads that wait for them wait until their deadlines. A restart from a checkpoint restores the objects, and a
 * restart from the image makes them free.
 */
#ifndef SYNC_CORE_H
#define SYNC_CORE_H

#include <runtime/component.h>

/*
 * Tries to take `object` and returns true on success. Otherwise it sets *owner to the id of the
 * thread that holds the object, or 0 if that is unknown.
 */
typedef bool sync_try(void *object, const void *want, word *owner);

/*
 * Waits until `try` succeeds with `object` and `want`, or the deadline passes. The owner inherits the caller's priority
 * meanwhile. `waiters` is the number of waiting threads of the object. Returns 0, ETIME if the deadline has passed, or
 * another error of the scheduler.
 */
long sync_wait(uint32_t *waiters, sync_try *try, void *object, const void *want, uint64_t deadline);
/* Wakes the waiting thread of highest priority. Returns 0, also if no thread waits, or an error of the scheduler. */
long sync_wake_best(const uint32_t *waiters);
/* Wakes the thread with this id, which waits for another thread and not for an object. Returns the same values. */
long sync_wake_thread(unsigned int thread);
/* Wakes all waiting threads. Returns the same values. */
long sync_wake_each(const uint32_t *waiters);

/* Wakes the waiting thread of highest priority, if any, after an object was released. */
static inline long sync_wake(const uint32_t *waiters)
{
	return likely(!__atomic_load_n(waiters, __ATOMIC_SEQ_CST)) ? LIMPET_OK
								   : sync_wake_best(waiters);
}

#endif
