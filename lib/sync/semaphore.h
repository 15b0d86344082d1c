/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements counting semaphores: static struct semaphore s = { .value = 3 }; */
#ifndef SYNC_SEMAPHORE_H
#define SYNC_SEMAPHORE_H

#include <sync/core.h>

struct semaphore {
	uint32_t value;
	uint32_t waiters;
};

/* Slow part of semaphore_down(). */
long semaphore_wait(struct semaphore *semaphore, uint64_t deadline);

/* Decrements the value without waiting. Returns false if it is 0. */
static inline bool semaphore_try(struct semaphore *semaphore)
{
	uint32_t value = __atomic_load_n(&semaphore->value, __ATOMIC_RELAXED);

	while (value)
		if (__atomic_compare_exchange_n(&semaphore->value, &value, value - 1, false,
						__ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
			return true;
	return false;
}

/*
 * Waits until the value is not 0, at most until the deadline, and decrements it. Returns 0. ETIME: the deadline has
 * passed.
 */
static inline long semaphore_down(struct semaphore *semaphore, uint64_t deadline)
{
	return likely(semaphore_try(semaphore)) ? LIMPET_OK : semaphore_wait(semaphore, deadline);
}

/*
 * Increments the value, and wakes the waiting thread of highest priority. Never waits, but a woken thread of higher
 * priority runs immediately. Returns 0. ERANGE: the value is already 2^32 - 1.
 */
static inline long semaphore_up(struct semaphore *semaphore)
{
	uint32_t value = __atomic_load_n(&semaphore->value, __ATOMIC_RELAXED);

	do
		if (unlikely(value == UINT32_MAX))
			return LIMPET_ERANGE;
	while (unlikely(!__atomic_compare_exchange_n(&semaphore->value, &value, value + 1, false,
						     __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)));
	return sync_wake(&semaphore->waiters);
}

#endif
