/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the threads of a test in all orders. At each memory access of instrumented code another thread may continue, at
 * most `preemptions` times in a run. When a thread waits, wakes another one or ends, any thread may continue, and any
 * deadline may pass. The run is repeated from its start for each choice.
 *
 * The model has a scheduler with suspend_for, suspend_on, resume, resume_on, resume_all and priority of interface sched.
 * It promises no more than the interface does: a resumed thread may run immediately, or later.
 */
#ifndef MODEL_H
#define MODEL_H

#include <runtime/types.h>

#define MODEL_THREADS 4 /* ids 1 to 4 */

struct model {
	unsigned int threads;
	unsigned int preemptions;
	const uint8_t *priority; /* indexed by id: [threads + 1] */
	void (*begin)(void);	 /* before each run */
	void (*thread)(unsigned int id);
	void (*watch)(void); /* at each point, or NULL */
	void (*end)(void);   /* after all threads have ended */
};

/* Returns the number of runs. Ends the test if a check fails. */
unsigned long model_run(const struct model *model);

/* Fails the whole test, and prints the choices that led to the failure. */
void model_fail(const char *why);
#define MODEL_CHECK(condition)                                                                     \
	do {                                                                                       \
		if (!(condition))                                                                  \
			model_fail(#condition);                                                    \
	} while (0)

/* Returns whether a thread is suspended on an object. */
bool model_waits(unsigned int id, const void *object);
/* Returns whether a suspended thread's priority reaches thread `to`, or one of the threads in `looking`. */
bool model_lends(unsigned int id, unsigned int to, uint64_t looking);
uint8_t model_priority(unsigned int id);
/* The error that the scheduler returns for each call until the end of the run, or 0. */
extern long model_refusal;

#endif
