// SPDX-License-Identifier: BSD-2-Clause
#include <sync/barrier.h>

#define TIMES_SHIFT 32
#define ARRIVED 0xffffffffu

static bool state_change(struct barrier *barrier, uint64_t *old, uint64_t new)
{
	return __atomic_compare_exchange_n(&barrier->state, old, new, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_SEQ_CST);
}

static bool try_barrier(void *object, const void *want, word *owner)
{
	struct barrier *barrier = object;
	const uint64_t *times = want;

	(void)owner;
	return __atomic_load_n(&barrier->state, __ATOMIC_SEQ_CST) >> TIMES_SHIFT != *times;
}

/* Stops waiting. If the barrier has opened meanwhile, the wait has succeeded. */
static long withdraw(struct barrier *barrier, uint64_t times, long status)
{
	uint64_t state = __atomic_load_n(&barrier->state, __ATOMIC_SEQ_CST);

	while (state >> TIMES_SHIFT == times)
		if (state_change(barrier, &state, state - 1))
			return status;
	return LIMPET_OK;
}

long barrier_wait(struct barrier *barrier, uint64_t deadline)
{
	uint64_t state = __atomic_load_n(&barrier->state, __ATOMIC_SEQ_CST), times;
	bool last;
	long status;

	if (!barrier->total)
		return LIMPET_ERANGE;
	do {
		times = state >> TIMES_SHIFT;
		last = (state & ARRIVED) + 1 >= barrier->total;
	} while (!state_change(barrier, &state, last ? (times + 1) << TIMES_SHIFT : state + 1));
	if (last) {
		status = sync_wake_each(&barrier->waiters);
		return status ? status : 1;
	}
	status = sync_wait(&barrier->waiters, try_barrier, barrier, &times, deadline);
	return status ? withdraw(barrier, times, status) : LIMPET_OK;
}
