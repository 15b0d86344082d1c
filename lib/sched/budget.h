/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Budgets. A thread that has used up its budget of a span is held until the next span. The policy decides when a span
 * starts.
 */
#ifndef SCHED_BUDGET_H
#define SCHED_BUDGET_H

#include <sched/sched.h>

#define BUDGET_MIN 1000ul /* ticks */
#define SLICE_MIN 1000ul  /* ticks */

/* Makes a thread with a budget ready, or holds it if the budget is used up. It could run since the time `at`. */
void budget_arrive(struct sched *sched, unsigned int id, uint64_t at);
/* Called after a thread began to lend to this one. Continues this thread if it is held and the lender has budget. */
void budget_lent(struct sched *sched, unsigned int id);
/* Subtracts run time, in ticks, from a thread's budget. Holds the thread if it cannot borrow more. */
void budget_charge(struct sched *sched, unsigned int id, uint64_t ticks);
/*
 * Returns the run time that the kernel counted for a thread, in ticks. For a part it counts only the nested scheduler's
 * own thread.
 */
uint64_t ticks_run(const struct sched *sched, unsigned int id);
/* Sets the timer for the end of the span if the thread is held, or if its share shrinks then. Otherwise removes it. */
void renew_set(struct sched *sched, unsigned int id);
/* Handles the end of a span: reduces the share if the budget was reduced, and starts the next span of a held thread. */
void budget_renew(struct sched *sched, unsigned int id);
/*
 * Sets a thread's budget and span in ticks; 0: no budget. If the thread has used a part of its budget, the new one
 * applies from the end of the span. Until then the thread has the rest of the old one, at most the new one, and the old
 * share stays reserved. So no sequence of calls gives threads more than the reserved time. LIMPET_EQUOTA: less time than
 * that is unreserved.
 */
long budget_set(struct sched *sched, unsigned int id, uint64_t budget, uint64_t span);

/* Marks a thread as not held. It does not become ready. */
static inline void hold_end(struct sched *sched, unsigned int id)
{
	if (likely(!sched->thread[id].held))
		return;
	sched->thread[id].held = false;
	renew_set(sched, id);
}

/* Gives a thread turns of `slice` ticks among threads of the same key; 0: it runs as long as it likes. */
void slice_set(struct sched *sched, unsigned int id, uint32_t slice);

#endif
