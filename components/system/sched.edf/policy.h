/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sched.edf: the thread with the earliest deadline runs.
 *
 * A thread with a reservation is a hard constant-bandwidth server (Abeni, Buttazzo 1998). It can become ready with more
 * budget than its share of the time until its deadline. It then gets a new deadline, one period later, and its whole
 * budget. After it has used up the budget, it is held until the deadline. If at most all of the time is reserved, each
 * of these threads gets its budget in time, independent of the others.
 *
 * Other threads run only if none of these threads can run. Periodic threads are first, with the end of their period as
 * their deadline. The rest follows by priority.
 */
#ifndef POLICY_H
#define POLICY_H

#include <sched/budget.h>
#include <sched/key.h>
#include <sched/queue.h>

#define POLICY_URGENCY 1
#define POLICY_RESERVES 1
#define POLICY_GRID 0
#define POLICY_UNLIMITED 0
#define POLICY_JOBS 1
#define POLICY_TIMER 0
#define POLICY_RANKS 0

#define KEY_PERIODIC (1ul << 62) /* periodic, without a reservation */
#define KEY_REST (3ul << 62)

struct policy {
	struct tree ready;
};

extern struct policy policy;

static inline long policy_setup(struct sched *sched, const struct limpet_info *info)
{
	(void)info;
	queue_init(&policy.ready, sched);
	return LIMPET_OK;
}

static inline void policy_begin(struct sched *sched)
{
	(void)sched;
}

static inline void policy_key(struct sched *sched, unsigned int id)
{
	struct thread *thread = &sched->thread[id];

	if (thread->budget)
		thread->own = thread->until;
	else if (thread->period)
		thread->own = KEY_PERIODIC | thread->release;
	else
		thread->own = KEY_REST | (255u - thread->priority);
}

static inline void policy_insert(struct sched *sched, unsigned int id)
{
	queue_insert(&policy.ready, sched->thread, id, 0);
	if (sched->turns && sched->thread[id].key >= KEY_REST)
		sched->recheck = true; /* the running thread may have to take turns now */
}

static inline void policy_remove(struct sched *sched, unsigned int id)
{
	queue_remove(&policy.ready, sched->thread, id);
}

static inline unsigned int policy_top(const struct sched *sched)
{
	(void)sched;
	return queue_top(&policy.ready);
}

/* `id` runs, so it is first in the queue. Only threads without a deadline take turns. */
static inline bool policy_shared(const struct sched *sched, unsigned int id)
{
	unsigned int next = queue_next(&policy.ready, id);

	return sched->thread[id].key >= KEY_REST && next &&
	       sched->thread[next].key == sched->thread[id].key;
}

/* Sets a new deadline if the old one has passed, or if the remaining budget is too large until then. */
static inline void policy_refill(struct thread *thread, uint64_t now)
{
	if (thread->until > now &&
	    (thread->left <= 0 ||
	     (unsigned __int128)thread->left * thread->span <=
		     (unsigned __int128)thread->budget * (thread->until - now)))
		return;
	thread->until = now + thread->span;
	thread->left = (thread->left < 0 ? thread->left : 0) + (int64_t)thread->budget;
}

static inline void policy_arrive(struct sched *sched, unsigned int id, uint64_t at)
{
	struct thread *thread = &sched->thread[id];

	if (thread->budget)
		policy_refill(thread, at);
	policy_key(sched, id);
	thread->key = thread->own;
	if (unlikely(thread->lender))
		key_renew(sched, id);
	if (!thread->budget) {
		policy_insert(sched, id);
		return;
	}
	thread->due = thread->period ? LIMPET_NEVER : at + thread->span;
	budget_arrive(sched, id, at);
}

/* Counts a missed deadline. A job of a thread with a reservation must be done one period after its start. */
static inline void policy_wait(struct sched *sched, unsigned int id)
{
	struct thread *thread = &sched->thread[id];

	if (unlikely(thread->due < limpet_time()))
		thread_missed(sched, id);
	thread->due = LIMPET_NEVER;
}

/* Starts the next job of a thread that did not wait. */
static inline void policy_late(struct sched *sched, unsigned int id, uint64_t at)
{
	(void)at;
	if (sched->thread[id].budget)
		return; /* its server continues */
	policy_key(sched, id);
	key_update(sched, id);
}

#endif
