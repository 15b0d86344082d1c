/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Selects the next thread and the time of the next clock event. The functions require that the lock is held or that the
 * caller is the scheduler's thread. Every dispatch executes this code.
 */
#ifndef SCHED_CORE_H
#define SCHED_CORE_H

#include <sched/clock.h>
#include <sched/key.h>
#include <sched/policy_calls.h>

/* Handles rare cases of the functions below. */
void timer_other(struct sched *sched, unsigned int link);
/* Handles due timers after the first one, for timers_take(). */
void timers_take_more(struct sched *sched, uint64_t now);
/* Returns the deadline of a thread that is metered, or is a part: `deadline`, or an earlier end of budget or alarm. */
uint64_t deadline_watched(struct sched *sched, unsigned int id, uint64_t deadline);
/* Charges the metered thread, and stops metering. */
void meter_end(struct sched *sched);
/* Marks a thread as dead. */
void thread_dead(struct sched *sched, unsigned int id);

/* Makes a thread ready that is not ready. `at` is the time since which it could run. */
static inline void thread_ready(struct sched *sched, unsigned int id, uint64_t at)
{
	/* It stops lending before it is queued, because threads that lend in a cycle lend to it, too. */
	if (unlikely(sched->thread[id].bound))
		wait_unbind(sched, id);
	sched->thread[id].state = STATE_READY;
	policy_arrive(sched, id, at);
}

/* Makes a thread wait that is ready and not held. */
static inline void thread_unready(struct sched *sched, unsigned int id, enum thread_state state)
{
	sched->thread[id].state = (uint8_t)state;
	policy_remove(sched, id);
}

/* Handles a due timer that has been removed. */
static inline void timer_take(struct sched *sched, unsigned int link)
{
	unsigned int id = ID_OF(link);

	if (unlikely(link != TIMER_WAIT(id))) {
		timer_other(sched, link);
		return;
	}
	sched->thread[id].expired = true;
	thread_ready(sched, id, sched->thread[id].wait.key + sched->lead);
}

/*
 * Handles timers that are due at `now`, usually at most one. Handles at least one if one is due. With ranks, due timers
 * can remain. Most of them belong to threads that would not run now.
 */
static inline void timers_take(struct sched *sched, uint64_t now)
{
	if (timers_next(&sched->timers) > now)
		return;
	timer_take(sched, timers_pop(&sched->timers));
	if (unlikely(timers_next(&sched->timers) <= now))
		timers_take_more(sched, now);
}

/* Sets an unset timer of a thread. */
static inline void timer_set(struct sched *sched, unsigned int link, uint64_t due)
{
	timers_insert(&sched->timers, link, due, policy_rank(sched, ID_OF(link)));
}

/* Returns the deadline to pass with the dispatch of thread `id`, or 0 if the clock is already set early enough. */
static inline uint64_t deadline_take(struct sched *sched, unsigned int id)
{
	uint64_t deadline = policy_deadline(sched, id);

	if (unlikely(sched->thread[id].watched))
		deadline = deadline_watched(sched, id, deadline);
	if (likely(deadline >= sched->programmed))
		return 0;
	return clock_set(&sched->programmed, deadline);
}

#endif
