/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sched.fixed-priority: whoever has the greatest priority runs; first in first out among equals, or
 * in turns of slice-us. Budgets are spans that follow each other.
 */
#ifndef POLICY_H
#define POLICY_H

#include <sched/budget.h>
#include <sched/levels.h>

#define POLICY_URGENCY 1
#define POLICY_RESERVES 1
#define POLICY_GRID 1
#define POLICY_UNLIMITED 1

struct policy {
	struct levels ready;
};

extern struct policy policy;

static inline long policy_setup(struct sched *s, const struct limpet_info *info)
{
	(void)s;
	(void)info;
	return LIMPET_OK;
}

static inline void policy_begin(struct sched *s)
{
	(void)s;
}

static inline void policy_key(struct sched *s, unsigned int id)
{
	s->thread[id].own = 255u - s->thread[id].priority;
}

static inline void policy_insert(struct sched *s, unsigned int id)
{
	uint64_t key = s->thread[id].key;

	if (s->slice && policy.ready.head[key]) /* whoever runs may have to take turns now */
		s->recheck = true;
	levels_append(&policy.ready, s->thread, id, key);
}

static inline void policy_remove(struct sched *s, unsigned int id)
{
	levels_remove(&policy.ready, s->thread, id, s->thread[id].key);
}

static inline unsigned int policy_top(const struct sched *s)
{
	(void)s;
	return levels_top(&policy.ready);
}

static inline bool policy_shared(const struct sched *s, unsigned int id)
{
	return levels_shared(&policy.ready, id, s->thread[id].key);
}

/* From one end of a span to the next; what is left is lost, a debt stays. */
static inline void policy_refill(struct thread *t, uint64_t now)
{
	while (t->until <= now) {
		uint64_t spans = (now - t->until) / t->span + 1;

		t->until += spans * t->span;
		t->left = (t->left < 0 ? t->left : 0) + (int64_t)t->budget;
	}
}

static inline void policy_arrive(struct sched *s, unsigned int id, uint64_t at)
{
	if (likely(!s->thread[id].metered)) {
		levels_append(&policy.ready, s->thread, id, s->thread[id].key);
	} else if (!s->thread[id].budget) {
		policy_insert(s, id);
	} else {
		policy_refill(&s->thread[id], at);
		budget_arrive(s, id, at);
	}
}

static inline void policy_wait(struct sched *s, unsigned int id)
{
	(void)s;
	(void)id;
}

static inline void policy_late(struct sched *s, unsigned int id, uint64_t at)
{
	(void)s;
	(void)id;
	(void)at;
}

static inline uint32_t policy_rank(const struct sched *s, unsigned int id)
{
	return (uint32_t)s->thread[id].key;
}

/* Its own key counts: when a thread that lends its key has waited long enough, that one comes first. */
static inline uint64_t policy_deadline(struct sched *s, unsigned int id)
{
	return timers_before(&s->timers, (uint32_t)s->thread[id].own);
}

static inline void policy_timer(struct sched *s)
{
	(void)s;
}

#endif
