/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements condition variables. A condition of zeros is ready for use. Threads that wait and
 * threads that signal hold the same mutex, so that the check and the wait are atomic.
 *
 *	mutex_lock(&m, LIMPET_NEVER);
 *	while (!there && status == LIMPET_OK)
 *		status = condition_wait(&c, &m, deadline);
 *	mutex_unlock(&m);
 */
#ifndef SYNC_CONDITION_H
#define SYNC_CONDITION_H

#include <sync/mutex.h>

struct condition {
	uint32_t waiters; /* of this turn; protected by the mutex, like the next members */
	uint32_t signals; /* waiters that may continue; each consumes one */
	uint32_t turn;	  /* all waiters of earlier turns may continue */
};

/*
 * Unlocks the mutex, waits until the condition is signalled, and locks the mutex again, which has
 * no time limit. Other threads may have held the mutex since the signal, so the caller must check again. A thread that
 * starts to wait while a signal is pending first ends the waits of all earlier waiters, so that it does not receive
 * this signal. Only then can a wait end without a signal. Returns 0. ETIME: the
 * deadline passed before a signal. ESTATE: the caller does not hold the mutex, or has locked it more than once.
 */
long condition_wait(struct condition *condition, struct mutex *mutex, uint64_t deadline);
/*
 * Wakes the waiting thread of highest priority, and does nothing if no thread waits. Returns 0. ESTATE: the caller does
 * not hold the mutex.
 */
long condition_signal(struct condition *condition, struct mutex *mutex);
/*
 * Wakes all waiting threads, one after the other as the mutex becomes free. Returns the same values as
 * condition_signal().
 */
long condition_broadcast(struct condition *condition, struct mutex *mutex);

#endif
