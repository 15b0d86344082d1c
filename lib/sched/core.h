/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a thread that becomes ready to the time at which the clock has to come. Everything here is
 * called with `busy` set, or by the scheduler's thread, and is on the way of every dispatch.
 */
#ifndef SCHED_CORE_H
#define SCHED_CORE_H

#include <sched/clock.h>
#include <sched/policy_calls.h>

/* Rare cases of the functions below. */
void wait_unbind(struct sched *s, unsigned int id);
void timer_other(struct sched *s, unsigned int link);
/* Returns the deadline of a thread that is metered, or is a part: `deadline`, or an earlier end of budget or alarm. */
uint64_t deadline_watched(struct sched *s, unsigned int id, uint64_t deadline);
/* Charges the metered thread, and stops metering. */
void meter_end(struct sched *s);
/* Adds a spare thread to the free ones of its component, or removes it from them. */
void spare_add(struct sched *s, unsigned int id);
void spare_remove(struct sched *s, unsigned int id);
/* Marks a thread as one that can not run any more. */
void thread_dead(struct sched *s, unsigned int id);

/* Makes a thread ready that is not ready. `at` is the time since which it could run. */
static inline void thread_ready(struct sched *s, unsigned int id, uint64_t at)
{
	/* It stops lending before it is queued, because threads that lend in a cycle lend to it, too. */
	if (unlikely(s->thread[id].bound))
		wait_unbind(s, id);
	s->thread[id].state = STATE_READY;
	policy_arrive(s, id, at);
}

/* Makes a thread wait that is ready and not held. */
static inline void thread_unready(struct sched *s, unsigned int id, enum thread_state state)
{
	s->thread[id].state = (uint8_t)state;
	policy_remove(s, id);
}

/* Wakes every thread whose timer is due at `now`. Usually that is at most one thread. */
static inline void timers_take(struct sched *s, uint64_t now)
{
	while (timers_next(&s->timers) <= now) {
		unsigned int link = timers_pop(&s->timers), id = ID_OF(link);

		if (unlikely(link != TIMER_WAIT(id))) {
			timer_other(s, link);
			continue;
		}
		s->thread[id].expired = true;
		thread_ready(s, id, s->thread[id].wait.key);
	}
}

/* Sets an unset timer of a thread. */
static inline void timer_set(struct sched *s, unsigned int link, uint64_t due)
{
	timers_insert(&s->timers, link, due, policy_rank(s, ID_OF(link)));
}

/* Returns the deadline to pass with the dispatch of thread `id`, or 0 if the clock is already set early enough. */
static inline uint64_t deadline_take(struct sched *s, unsigned int id)
{
	uint64_t deadline = policy_deadline(s, id);

	if (unlikely(s->thread[id].watched))
		deadline = deadline_watched(s, id, deadline);
	if (likely(deadline >= s->programmed))
		return 0;
	s->programmed = deadline;
	return clock_set(deadline);
}

#endif
