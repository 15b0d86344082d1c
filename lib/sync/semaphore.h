/* SPDX-License-Identifier: BSD-2-Clause */
/* Counting semaphores: static struct semaphore s = { .value = 3 }; all zero is 0. */
#ifndef SYNC_SEMAPHORE_H
#define SYNC_SEMAPHORE_H

#include <sync/core.h>

struct semaphore {
	uint32_t value;
	uint32_t waiters;
};

/* Slow part of semaphore_down(). */
long semaphore_wait(struct semaphore *semaphore, uint64_t deadline);

/* Takes one, without waiting: false: there is none. */
static inline bool semaphore_try(struct semaphore *semaphore)
{
	uint32_t value = __atomic_load_n(&semaphore->value, __ATOMIC_RELAXED);

	while (value)
		if (__atomic_compare_exchange_n(&semaphore->value, &value, value - 1, false,
						__ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
			return true;
	return false;
}

/* Takes one; waits until there is one. ETIME. */
static inline long semaphore_down(struct semaphore *semaphore, uint64_t deadline)
{
	return likely(semaphore_try(semaphore)) ? LIMPET_OK : semaphore_wait(semaphore, deadline);
}

/* Adds one; the most important thread that waits gets it. ERANGE: there are 2^32 - 1 already. */
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
