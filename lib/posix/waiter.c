// SPDX-License-Identifier: BSD-2-Clause
/*
 * The records of threads store the address at which a thread waits, so nothing has to be allocated. A wake-up looks at
 * 63 records at most. The thread of highest priority is woken first. Among threads of equal priority, the one that has
 * waited longest is woken first.
 */
#include <linux/futex.h>

#include "waiter.h"

static uint64_t waits; /* number of waits so far */

/* Returns the waiter at `address` with one of `bits` to wake first, or NULL. */
static struct posix_thread *waiter_first(const uint32_t *address, uint32_t bits)
{
	struct posix_thread *best = NULL;

	for (unsigned int id = 0; id < POSIX_THREADS; id++) {
		struct posix_thread *thread = &posix_threads[id];

		if (!thread->waiting || thread->futex != address || !(thread->futex_bits & bits))
			continue;
		if (!best || thread->priority > best->priority ||
		    (thread->priority == best->priority && thread->futex_since < best->futex_since))
			best = thread;
	}
	return best;
}

long waiters_wake(const uint32_t *address, uint32_t max, uint32_t bits)
{
	struct posix_thread *thread;
	long count = 0;

	while ((uint32_t)count < max && (thread = waiter_first(address, bits))) {
		thread->futex = NULL;
		thread_wake(thread);
		count++;
	}
	return count;
}

void waiter_begin(struct posix_thread *thread, const uint32_t *address, uint32_t bits,
		  enum posix_waiting waiting)
{
	thread->waiting = (uint8_t)waiting;
	thread->futex = address;
	thread->futex_bits = bits;
	thread->futex_since = ++waits;
}

long waiters_move(const uint32_t *from, uint32_t wakes, uint32_t moves, const uint32_t *to)
{
	long count = waiters_wake(from, wakes, FUTEX_BITSET_MATCH_ANY);
	struct posix_thread *thread;

	if (from == to)
		return count;
	for (; moves && (thread = waiter_first(from, FUTEX_BITSET_MATCH_ANY)); moves--, count++)
		thread->futex = to;
	return count;
}

void futex_wake(const uint32_t *address)
{
	waiters_wake(address, 1, FUTEX_BITSET_MATCH_ANY);
}

void futex_wake_all(const uint32_t *address)
{
	waiters_wake(address, POSIX_THREADS, FUTEX_BITSET_MATCH_ANY);
}
