/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sched.fixed-priority: the thread with the highest priority runs. Threads of equal priority run FIFO, or in turns of
 * slice-us. A thread's budget has spans that follow each other.
 */
#ifndef POLICY_H
#define POLICY_H

#include <sched/budget.h>
#include <sched/levels.h>

#define POLICY_URGENCY 1
#define POLICY_RESERVES 1
#define POLICY_GRID 1
#define POLICY_UNLIMITED 1
#define POLICY_JOBS 0
#define POLICY_TIMER 0
#define POLICY_RANKS 1

struct policy {
	struct levels ready;
};

extern struct policy policy;

static inline long policy_setup(struct sched *sched, const struct limpet_info *info)
{
	(void)sched;
	(void)info;
	return LIMPET_OK;
}

static inline void policy_begin(struct sched *sched)
{
	(void)sched;
}

static inline void policy_key(struct sched *sched, unsigned int id)
{
	sched->thread[id].own = 255u - sched->thread[id].priority;
}

static inline void policy_insert(struct sched *sched, unsigned int id)
{
	uint64_t key = sched->thread[id].key;

	if (sched->turns && policy.ready.head[key]) /* the running thread may have to take turns */
		sched->recheck = true;
	levels_append(&policy.ready, sched->thread, id, key);
}

static inline void policy_remove(struct sched *sched, unsigned int id)
{
	levels_remove(&policy.ready, sched->thread, id, sched->thread[id].key);
}

static inline unsigned int policy_top(const struct sched *sched)
{
	(void)sched;
	return levels_top(&policy.ready);
}

static inline bool policy_shared(const struct sched *sched, unsigned int id)
{
	return levels_shared(&policy.ready, id, sched->thread[id].key);
}

/* Starts the span of time `now`. Drops the remaining budget of earlier spans, and keeps a debt. */
static inline void policy_refill(struct thread *thread, uint64_t now)
{
	while (thread->until <= now) {
		uint64_t spans = (now - thread->until) / thread->span + 1;

		thread->until += spans * thread->span;
		thread->left = (thread->left < 0 ? thread->left : 0) + (int64_t)thread->budget;
	}
}

static inline void policy_arrive(struct sched *sched, unsigned int id, uint64_t at)
{
	if (likely(!sched->thread[id].metered)) {
		levels_append(&policy.ready, sched->thread, id, sched->thread[id].key);
	} else if (!sched->thread[id].budget) {
		policy_insert(sched, id);
	} else {
		policy_refill(&sched->thread[id], at);
		budget_arrive(sched, id, at);
	}
}

static inline uint32_t policy_rank(const struct sched *sched, unsigned int id)
{
	return (uint32_t)sched->thread[id].key;
}

/* Includes the timers of a lent key, because a lender whose wait times out takes its key back. */
static inline uint64_t policy_deadline(struct sched *sched, unsigned int id)
{
	uint64_t key = sched->thread[id].key, own = sched->thread[id].own;

	return timers_before(&sched->timers, (uint32_t)(key < own ? key + 1 : own));
}

#endif
