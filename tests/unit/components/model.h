/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs threads of a test in all orders: at each memory access of what is instrumented another
 * thread may go on, at most `preemptions` times in a run; where a thread waits, wakes another or
 * ends, and when a deadline comes, is free. The run is repeated from the beginning for each choice.
 *
 * The scheduler is here: what suspend_for, suspend_on, resume, resume_on, resume_all and priority of
 * the interface sched promise, and nothing more: who is resumed need not run at once, though it may.
 */
#ifndef MODEL_H
#define MODEL_H

#include <runtime/types.h>

#define MODEL_THREADS 4 /* ids 1 to 4 */

struct model {
	unsigned int threads;
	unsigned int preemptions;
	const uint8_t *priority; /* [threads + 1] */
	void (*begin)(void);	 /* before each run */
	void (*thread)(unsigned int id);
	void (*watch)(void); /* at each point; NULL: nothing */
	void (*end)(void);   /* when all threads have ended */
};

/* Returns the number of runs; ends the test when something does not hold. */
unsigned long model_run(const struct model *model);

/* Does not hold: the whole test fails, with the choices that led there. */
void model_fail(const char *why);
#define MODEL_CHECK(condition)                                                                     \
	do {                                                                                       \
		if (!(condition))                                                                  \
			model_fail(#condition);                                                    \
	} while (0)

/* Whether a thread is suspended on an object. */
bool model_waits(unsigned int id, const void *object);
/* Whether a suspended thread's importance reaches thread `to`, or one of those that are `looking`. */
bool model_lends(unsigned int id, unsigned int to, uint64_t looking);
uint8_t model_priority(unsigned int id);
/* What the scheduler answers instead of doing anything, from now to the end of the run; 0: it works. */
extern long model_refusal;

#endif
