/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Condition variables. All zero is ready for use. Who waits and who signals has the mutex, always
 * the same one: that makes what they look at, and who waits, one thing.
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
	uint32_t waiters; /* changed with the mutex, as is the next member */
	uint32_t signals; /* of the waiters, how many may go on; each takes one */
};

/*
 * Gives the mutex up, waits until the condition is signalled, and takes the mutex again, however
 * long that lasts. There is no wake-up without a signal; but others may have had the mutex since,
 * so look again. ETIME. ESTATE: the caller does not have the mutex, or has it more than once.
 */
long condition_wait(struct condition *condition, struct mutex *mutex, uint64_t deadline);
/* Wakes the most important thread that waits. ESTATE: the caller does not have the mutex. */
long condition_signal(struct condition *condition, struct mutex *mutex);
/* Wakes all, one after the other as the mutex becomes free. ESTATE: as condition_signal(). */
long condition_broadcast(struct condition *condition, struct mutex *mutex);

#endif
