/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sched.edf: whoever's deadline comes first runs.
 *
 * A thread with a reservation is a constant-bandwidth server (Abeni, Buttazzo 1998) of the hard kind:
 * when it becomes ready, and what it has left would be more than its share of the time up to its
 * deadline, it gets a new deadline, a period from then, and its whole budget. Once it has used that up
 * it is held until the deadline. So if no more than all of the time is reserved, each of them gets
 * its budget in time, whatever the others do.
 *
 * All others run when none of these can: periodic threads first, the end of their period is their
 * deadline, then the rest by priority.
 */
#ifndef POLICY_H
#define POLICY_H

#include <sched/budget.h>
#include <sched/lend.h>
#include <sched/queue.h>

#define POLICY_URGENCY 1
#define POLICY_RESERVES 1
#define POLICY_GRID 0
#define POLICY_UNLIMITED 0

#define KEY_PERIODIC (1ul << 62) /* periodic, without a reservation */
#define KEY_REST (3ul << 62)

struct policy {
	struct tree ready;
};

extern struct policy policy;

static inline long policy_setup(struct sched *s, const struct limpet_info *info)
{
	(void)info;
	queue_init(&policy.ready, s);
	return LIMPET_OK;
}

static inline void policy_begin(struct sched *s)
{
	(void)s;
}

static inline void policy_key(struct sched *s, unsigned int id)
{
	struct thread *t = &s->thread[id];

	if (t->budget)
		t->own = t->until;
	else if (t->period)
		t->own = KEY_PERIODIC | t->release;
	else
		t->own = KEY_REST | (255u - t->priority);
}

static inline void policy_insert(struct sched *s, unsigned int id)
{
	queue_insert(&policy.ready, s->thread, id, 0);
	if (s->slice && s->thread[id].key >= KEY_REST)
		s->recheck = true; /* whoever runs may have to take turns now */
}

static inline void policy_remove(struct sched *s, unsigned int id)
{
	queue_remove(&policy.ready, s->thread, id);
}

static inline unsigned int policy_top(const struct sched *s)
{
	(void)s;
	return queue_top(&policy.ready);
}

/* Of the thread that runs: it stands first. Only those without any deadline take turns. */
static inline bool policy_shared(const struct sched *s, unsigned int id)
{
	unsigned int next = queue_next(&policy.ready, id);

	return s->thread[id].key >= KEY_REST && next && s->thread[next].key == s->thread[id].key;
}

/* The deadline has passed, or what is left would be too much up to there: a new one. */
static inline void policy_refill(struct thread *t, uint64_t now)
{
	if (t->until > now &&
	    (t->left <= 0 || (unsigned __int128)t->left * t->span <=
				     (unsigned __int128)t->budget * (t->until - now)))
		return;
	t->until = now + t->span;
	t->left = (t->left < 0 ? t->left : 0) + (int64_t)t->budget;
}

static inline void policy_arrive(struct sched *s, unsigned int id, uint64_t at)
{
	struct thread *t = &s->thread[id];

	if (t->budget)
		policy_refill(t, at);
	policy_key(s, id);
	t->key = t->own;
	if (unlikely(t->lender))
		key_renew(s, id);
	if (!t->budget) {
		policy_insert(s, id);
		return;
	}
	t->due = t->period ? LIMPET_NEVER : at + t->span;
	budget_arrive(s, id, at);
}

/* A job of a thread with a reservation has to be done a period after it began. */
static inline void policy_wait(struct sched *s, unsigned int id)
{
	struct thread *t = &s->thread[id];

	if (unlikely(t->due < limpet_time()))
		thread_missed(s, id);
	t->due = LIMPET_NEVER;
}

/* It does not wait in between, but its next job begins. */
static inline void policy_late(struct sched *s, unsigned int id, uint64_t at)
{
	(void)at;
	if (s->thread[id].budget)
		return; /* its server goes on */
	policy_key(s, id);
	key_update(s, id);
}

static inline uint32_t policy_rank(const struct sched *s, unsigned int id)
{
	(void)s;
	(void)id;
	return 0;
}

/* Uses all timers, because keys change when threads become ready, so each thread may then come first. */
static inline uint64_t policy_deadline(struct sched *s, unsigned int id)
{
	(void)id;
	return timers_next(&s->timers);
}

static inline void policy_timer(struct sched *s)
{
	(void)s;
}

#endif
