/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a policy is: policy.h in the folder of a scheduler. It is compiled in, so that nothing is
 * called by pointer on the way from a timer to a thread. It defines struct policy, in which it keeps
 * who is ready, and these functions, static inline. All are called with `busy` set, or by the
 * scheduler's thread, except policy_setup().
 *
 *   POLICY_URGENCY        1: an event may switch an idle CPU to its thread at once; 0: policy_top() decides
 *   POLICY_RESERVES       1: threads can have budgets
 *   POLICY_GRID           1: a thread's spans follow each other; 0: they begin as policy_arrive() says
 *   POLICY_UNLIMITED      1: a thread without a budget may run as long as it likes
 *
 *   policy_setup(s, info)         threads are known: reads arguments. Status of component_init()
 *   policy_begin(s)               the scheduler's thread begins to run
 *   policy_key(s, id)             sets a thread's own key: as its priority or reservation says
 *   policy_arrive(s, id, at)      a thread is ready again, and could run since `at`: its keys, if they
 *                                 change with time; then policy_insert(), or with a budget budget_arrive()
 *   policy_insert(s, id)          puts a thread among the ready, behind those with the same key
 *   policy_remove(s, id)          takes it away
 *   policy_top(s)                 who should run; NONE: nobody
 *   policy_shared(s, id)          whether another one that is ready has the same key
 *   policy_wait(s, id)            a thread is about to wait: its job is done
 *   policy_late(s, id, at)        a periodic thread goes on with the release at `at`, which has passed
 *   policy_rank(s, id)            what the timers of a thread are told apart by, for timers_before(): it
 *                                 changes with the key alone
 *   policy_deadline(s, id)        when the clock has to come while thread `id` runs: for the first timer that
 *                                 somebody waits for who comes before it, timers_before(). The others are
 *                                 seen to when it gives the CPU away: to come for them now would only make
 *                                 its start later. If in doubt for the first of all, timers_next()
 *   policy_timer(s)               timer TIMER_POLICY came
 *   policy_refill(t, now)         a span of a budget has ended, or with POLICY_GRID may have
 *
 * The key is the whole of a thread's importance: the smallest comes first. It is what threads lend
 * to each other.
 */
#ifndef SCHED_POLICY_CALLS_H
#define SCHED_POLICY_CALLS_H

#include <sched/sched.h>

#include <policy.h>

extern struct policy policy;

#endif
