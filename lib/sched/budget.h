/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Budgets: a thread that has used up what it may run in a span of time is held until the next. What
 * a policy decides is when a span begins.
 */
#ifndef SCHED_BUDGET_H
#define SCHED_BUDGET_H

#include <sched/sched.h>

#define BUDGET_LEAST 1000ul /* ticks */
#define BUDGET_ARGUMENTS 8

/* A thread with a budget is ready again; it may have to be held. */
void budget_arrive(struct sched *sched, unsigned int id, uint64_t at);
/* Somebody began to lend to a thread: if it is held, it goes on with that one's budget. */
void budget_lent(struct sched *sched, unsigned int id);
/* What it has run since then is taken off its budget. */
void budget_charge(struct sched *sched, unsigned int id, uint64_t ticks);
/* The next span of a thread that is held has begun. */
void budget_renew(struct sched *sched, unsigned int id);
/* A thread's budget from now on; 0: it has none. LIMPET_EQUOTA: not so much time is left. */
long budget_set(struct sched *sched, unsigned int id, uint64_t budget, uint64_t span);
/* Reads the arguments reserve-0, ... : "THREAD BUDGET PERIOD", in microseconds. */
long budget_setup(struct sched *sched, const struct limpet_info *info);

#endif
