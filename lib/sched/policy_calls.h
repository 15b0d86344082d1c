/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The contract of policy.h in the folder of each scheduler. A policy is compiled in, so that the path from a timer to
 * a thread has no call by pointer. It defines struct policy, which holds the ready threads, and these static inline
 * functions. They are called with the lock held, or by the scheduler's thread. Only policy_setup() is
 * called before threads run.
 *
 *   POLICY_URGENCY        1: an event may switch an idle CPU directly to its thread; 0: policy_top() decides
 *   POLICY_RESERVES       1: threads can have budgets
 *   POLICY_GRID           1: a thread's spans follow each other; 0: policy_arrive() starts them
 *   POLICY_UNLIMITED      1: a thread without a budget may run without a limit
 *   POLICY_JOBS           1: jobs have deadlines: the policy has policy_wait() and policy_late(), and a thread with a
 *                         budget must have used it before the end of its span
 *   POLICY_TIMER          1: the policy uses timer TIMER_POLICY, and has policy_timer()
 *   POLICY_RANKS          1: the policy has policy_rank() and policy_deadline(); 0: all timers interrupt each thread,
 *                         because keys change when threads become ready, so each thread may then come first
 *
 *   policy_setup(sched, info)     reads the arguments, after the threads are known; returns a status for
 *                                 component_init()
 *   policy_begin(sched)           the scheduler's thread starts to run
 *   policy_key(sched, id)         sets a thread's own key from its priority or reservation
 *   policy_arrive(sched, id, at)  a thread became ready, and could run since `at`: updates keys that change with
 *                                 time, then calls policy_insert(), or budget_arrive() for a thread with a budget
 *   policy_insert(sched, id)      adds a thread to the ready ones, after those with the same key
 *   policy_remove(sched, id)      removes a thread from the ready ones
 *   policy_top(sched)             returns the thread that should run, or NONE
 *   policy_shared(sched, id)      returns whether another ready thread has the same key
 *   policy_wait(sched, id)        a thread is about to wait, because its job is done
 *   policy_late(sched, id, at)    a periodic thread continues with the release at `at`, which has passed
 *   policy_rank(sched, id)        returns the rank of a thread's timers for timers_before(); it depends only on the key
 *   policy_deadline(sched, id)    returns the time of the next clock event while thread `id` runs. That is the first
 *                                 timer of a thread that comes before `id`: timers_before(). The other timers are
 *                                 handled when `id` gives up the CPU, because an event for them would only delay `id`.
 *                                 Timers with a rank up to the key of `id` are taken before `id` runs
 *   policy_timer(sched)           handles timer TIMER_POLICY
 *   policy_refill(thread, now)    handles the end of a budget's span; with POLICY_GRID the span may not have ended
 *
 * The thread with the smallest key comes first. Threads lend their keys to each other.
 */
#ifndef SCHED_POLICY_CALLS_H
#define SCHED_POLICY_CALLS_H

#include <sched/sched.h>

#include <policy.h>

extern struct policy policy;

/* Returns the groups of a thread without lent ones; 0: the policy has no slots. Policies with reservations have none. */
static inline uint32_t groups_own(const struct thread *thread)
{
	return POLICY_RESERVES ? 0 : thread->own_groups;
}

#if !POLICY_JOBS
static inline void policy_wait(struct sched *sched, unsigned int id)
{
	(void)sched;
	(void)id;
}

static inline void policy_late(struct sched *sched, unsigned int id, uint64_t at)
{
	(void)sched;
	(void)id;
	(void)at;
}
#endif

#if !POLICY_TIMER
static inline void policy_timer(struct sched *sched)
{
	(void)sched;
}
#endif

#if !POLICY_RANKS
static inline uint32_t policy_rank(const struct sched *sched, unsigned int id)
{
	(void)sched;
	(void)id;
	return 0;
}

static inline uint64_t policy_deadline(struct sched *sched, unsigned int id)
{
	(void)id;
	return timers_next(&sched->timers);
}
#endif

#endif
