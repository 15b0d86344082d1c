// SPDX-License-Identifier: BSD-2-Clause
#include <export/exchange.h>
#include <import/sched.h>

#include "exchange.h"

struct waiter {
	uint64_t turn; /* of waiter_add() */
	uint8_t queue;
	uint8_t level;
};

static struct waiter waiters[LIMPET_THREADS_MAX];
static uint64_t waiting[LIMPET_THREADS_MAX / 64]; /* bit N: thread N waits */
static uint64_t turns;

void waiter_add(unsigned int queue, word level)
{
	const unsigned int id = limpet_thread_id();

	waiters[id] = (struct waiter){
		.turn = ++turns,
		.queue = (uint8_t)queue,
		.level = level < UINT8_MAX ? (uint8_t)level : UINT8_MAX,
	};
	waiting[id / 64] |= 1ul << id % 64;
}

void waiter_drop(void)
{
	const unsigned int id = limpet_thread_id();

	waiting[id / 64] &= ~(1ul << id % 64);
}

/* Returns the waiter of the queue with the highest level, not younger than `turn`; 0: there is none. */
static unsigned int waiter_best(unsigned int queue, uint64_t turn)
{
	unsigned int best = 0;

	for (unsigned int i = 0; i < LIMPET_THREADS_MAX / 64; i++)
		for (uint64_t left = waiting[i]; left; left &= left - 1) {
			const unsigned int id = i * 64 + (unsigned int)__builtin_ctzl(left);

			if (waiters[id].queue == queue && waiters[id].turn <= turn &&
			    (!best || waiters[id].level > waiters[best].level))
				best = id;
		}
	return best;
}

bool waiter_any(unsigned int queue)
{
	const unsigned int id = limpet_thread_id();
	const uint64_t own = waiting[id / 64] & 1ul << id % 64;
	bool any;

	waiting[id / 64] &= ~own;
	any = waiter_best(queue, turns);
	waiting[id / 64] |= own;
	return any;
}

/* A resumed thread that waits again is younger, so that the loop ends. */
void waiters_wake(unsigned int queue)
{
	uint64_t turn = 0;
	unsigned int id;

	for (;;) {
		lock_take(&exchange_lock);
		turn = turn ? turn : turns;
		id = waiter_best(queue, turn);
		if (id)
			waiting[id / 64] &= ~(1ul << id % 64);
		lock_drop(&exchange_lock);
		if (!id)
			return;
		sched_resume(id);
	}
}

long exchange_serve_queue_leave(word badge)
{
	(void)badge;
	lock_take(&exchange_lock);
	waiter_drop();
	lock_drop(&exchange_lock);
	return LIMPET_OK;
}
