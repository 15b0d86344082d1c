/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs random tasks with jobs. Compares the end of each job on the scheduler with its end by the
 * rules, which the test defines in the functions declared here. Task i is thread i + 2. The test
 * includes this file after cmocka.h.
 */
#ifndef JOBS_H
#define JOBS_H

#include <string.h>

#include <export/sched.h>

#include <sched/core.h>

#include "chance.h"
#include "fake.h"

#define TASKS 10
#define JOBS 40

static unsigned int tasks;
static uint64_t done[TASKS][JOBS], expected[TASKS][JOBS]; /* end of each job */

/* Resets all tasks to before their first job. */
static void rules_begin(void);
/* Applies all changes that time causes, up to now. Returns the time of the next change, or LIMPET_NEVER. */
static uint64_t rules_pass(uint64_t now);
static bool rules_ready(unsigned int i);
/* Returns which of two ready tasks runs. */
static bool rules_before(unsigned int i, unsigned int other);
/* The remaining work of the running task i's job, and its limit. */
static uint64_t rules_work(unsigned int i), rules_may(unsigned int i);
static void rules_run(unsigned int i, uint64_t ticks);
static void rules_done(unsigned int i, uint64_t now);

static int rules_first(void)
{
	int best = -1;

	for (unsigned int i = 0; i < tasks; i++)
		if (rules_ready(i) && (best < 0 || rules_before(i, (unsigned int)best)))
			best = (int)i;
	return best;
}

static uint64_t min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Fills expected[]. */
static void jobs_simulate(void)
{
	uint64_t now = 0;

	rules_begin();
	for (;;) {
		uint64_t next = rules_pass(now), step;
		int first = rules_first();
		unsigned int i = (unsigned int)first;

		if (first < 0 && next == LIMPET_NEVER)
			return;
		if (first < 0) {
			now = next;
		} else if (!rules_work(i)) {
			rules_done(i, now);
		} else {
			step = min(min(rules_work(i), rules_may(i)), next - now);
			now += step;
			rules_run(i, step);
		}
	}
}

/* Runs threads 2 and up, to their end. */
static void jobs_run(unsigned int threads, const uint8_t *priority, void (*thread)(unsigned int id))
{
	const struct fake_setup setup = {
		.threads = threads + 1, .priority = priority, .thread = thread, .points = UINT64_MAX
	};

	memset(done, 0, sizeof(done));
	fake_run(&setup);
	if (fake_failure)
		fail_msg("%s, seed %u", fake_failure, seed);
}

static void jobs_compare(unsigned int set)
{
	for (unsigned int i = 0; i < tasks; i++)
		for (unsigned int j = 0; j < JOBS; j++)
			if (done[i][j] != expected[i][j])
				fail_msg("set %u: thread %u, job %u: done at %lu, should be at %lu",
					 set, i, j, done[i][j], expected[i][j]);
}

#endif
