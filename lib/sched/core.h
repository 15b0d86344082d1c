/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a thread that becomes ready to the time at which the clock has to come. Everything here is
 * called with `busy` set, or by the scheduler's thread, and is on the way of every dispatch.
 */
#ifndef SCHED_CORE_H
#define SCHED_CORE_H

#include <sched/clock.h>
#include <sched/policy_calls.h>

/* Rare work of the functions below. */
void lend_end(struct sched *s, unsigned int id);
void timer_other(struct sched *s, unsigned int number);
uint64_t meter_begin(struct sched *s, unsigned int id);
void meter_end(struct sched *s);
/* Marks a thread as one that can not run any more. */
void thread_dead(struct sched *s, unsigned int id);

/* Makes a thread ready that is not; `at`: since when it could run. */
static inline void thread_ready(struct sched *s, unsigned int id, uint64_t at)
{
	if (unlikely(
		    s->thread[id].owner)) /* in no queue yet: who lend in a circle lend to it, too */
		lend_end(s, id);
	s->thread[id].state = STATE_READY;
	policy_arrive(s, id, at);
}

/* A thread that is ready, and not held, waits from now on. */
static inline void thread_unready(struct sched *s, unsigned int id, enum thread_state state)
{
	s->thread[id].state = (uint8_t)state;
	policy_remove(s, id);
}

/* Wakes every thread whose time has come by `now`; mostly that is one, or none. */
static inline void timers_take(struct sched *s, uint64_t now)
{
	while (timers_next(&s->timers) <= now) {
		unsigned int id = timers_pop(&s->timers);

		if (unlikely(id >= LIMPET_THREADS_MAX)) {
			timer_other(s, id);
			continue;
		}
		s->thread[id].timed = false;
		s->thread[id].expired = true;
		thread_ready(s, id, s->timers.due[id]);
	}
}

/*
 * When the clock has to come while thread `id` runs: for the first timer that somebody who comes
 * before it waits for. The others are seen to when it gives the CPU away; to come for them now would
 * only make its start later. At most as many turns as there are timers.
 */
static inline uint64_t deadline_of(const struct sched *s, unsigned int id)
{
	unsigned int at = s->timers.first;

	while (at && !policy_matters(s, at, id))
		at = s->timers.next[at];
	return s->timers.due[at];
}

/* What to pass with the dispatch of thread `id`: 0 if the clock comes early enough as it is. */
static inline uint64_t deadline_take(struct sched *s, unsigned int id)
{
	uint64_t deadline = deadline_of(s, id);

	if (unlikely(s->thread[id].metered)) {
		uint64_t end = meter_begin(s, id);

		deadline = end < deadline ? end : deadline;
	}
	if (likely(deadline >= s->programmed))
		return 0;
	s->programmed = deadline;
	return clock_set(deadline);
}

#endif
