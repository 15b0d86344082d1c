// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tests budgets of sched.fixed-priority on a minimal kernel, whose clock counts only the run time of threads. Random
 * sets of threads, with and without budgets, request more than they may use. The end of each job is compared with a
 * simulation that implements only the rules of docs/guide/scheduling.md.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "jobs.h"

#define SETS 400

/* The behaviour of a thread: a job, then a sleep. */
struct task {
	uint8_t priority;
	uint64_t budget, span; /* budget 0: no budget */
	uint64_t begin;	       /* time at which it got its budget; its spans start there */
	uint64_t cost[JOBS], gap[JOBS];
};

static struct task task[TASKS];

/* Makes a feasible set of budgets, and jobs that need up to three of them. Some priorities are equal. */
static void tasks_make(void)
{
	uint32_t max;

	tasks = 2 + random_below(TASKS - 1);
	max = 100 / tasks;
	for (unsigned int i = 0; i < tasks; i++) {
		struct task *t = &task[i];

		*t = (struct task){ .priority = (uint8_t)(10 + random_below(12)) };
		t->span = 20000 + 7 * random_below(20000);
		t->budget = random_below(4) ? t->span * (1 + random_below(max)) / 100 : 0;
		if (t->budget && t->budget < BUDGET_MIN)
			t->budget = BUDGET_MIN;
		for (unsigned int j = 0; j < JOBS; j++) {
			t->cost[j] = 1 + random_below(t->budget ? 3 * (uint32_t)t->budget : 3000);
			t->gap[j] = 1 + random_below(2 * (uint32_t)t->span);
		}
	}
}

/* The reference implementation. */
struct state {
	uint64_t left, until; /* rest of the budget, and end of its span */
	uint64_t work, wake, order;
	unsigned int job;
	bool active, held;
};

static struct state state[TASKS];
static uint64_t order;

static uint64_t rules_pass(uint64_t now)
{
	uint64_t next = LIMPET_NEVER;

	for (unsigned int i = 0; i < tasks; i++) {
		struct state *s = &state[i];
		const struct task *t = &task[i];

		for (; t->budget && s->until <= now; s->until += t->span)
			s->left = t->budget;
		if (s->held && s->left) {
			s->held = false;
			s->order = ++order;
		}
		if (!s->active && s->wake <= now) {
			s->active = true;
			s->work = t->cost[s->job];
			s->held = t->budget && !s->left;
			s->order = ++order;
		}
		if (!s->active && s->wake < next)
			next = s->wake;
		if (s->active && t->budget && s->until < next)
			next = s->until;
	}
	return next;
}

static bool rules_ready(unsigned int i)
{
	return state[i].active && !state[i].held;
}

static bool rules_before(unsigned int i, unsigned int other)
{
	if (task[i].priority != task[other].priority)
		return task[i].priority > task[other].priority;
	return state[i].order < state[other].order;
}

static uint64_t rules_work(unsigned int i)
{
	return state[i].work;
}

static uint64_t rules_may(unsigned int i)
{
	return task[i].budget ? state[i].left : LIMPET_NEVER;
}

static void rules_done(unsigned int i, uint64_t now)
{
	struct state *s = &state[i];

	expected[i][s->job] = now;
	s->active = false;
	s->wake = s->job + 1 < JOBS ? now + task[i].gap[s->job] : LIMPET_NEVER;
	s->job++;
}

static void rules_run(unsigned int i, uint64_t ticks)
{
	struct state *s = &state[i];

	s->work -= ticks;
	if (!task[i].budget)
		return;
	s->left -= ticks;
	s->held = !s->left;
}

static void rules_begin(void)
{
	order = 0;
	for (unsigned int i = 0; i < tasks; i++)
		state[i] = (struct state){ .left = task[i].budget,
					   .until = task[i].begin + task[i].span,
					   .wake = task[i].begin + task[i].gap[0] };
}

/* Executes the same task on the scheduler. */
static void task_thread(unsigned int id)
{
	struct task *t = &task[id - 2];

	t->begin = fake_now;
	if (t->budget)
		FAKE_CHECK(sched_serve_reserve(BADGE, 0, t->budget, t->span) == LIMPET_OK);
	for (unsigned int j = 0; j < JOBS; j++) {
		sched_serve_sleep_until(BADGE, fake_now + t->gap[j ? j - 1 : 0]);
		fake_run_for(t->cost[j]);
		done[id - 2][j] = fake_now;
	}
}

static void run(void)
{
	uint8_t priority[TASKS + 2] = { 0 };

	for (unsigned int i = 0; i < tasks; i++)
		priority[i + 2] = task[i].priority;
	jobs_run(tasks, priority, task_thread);
}

/* A thread never runs more than its budget in a span, and runs as early as the rules allow. */
static void test_random(void **unused)
{
	unsigned int overruns = 0;

	(void)unused;
	for (unsigned int set = 1; set <= SETS; set++) {
		seed = set;
		tasks_make();
		run();
		jobs_simulate();
		jobs_compare(set);
		for (unsigned int i = 0; i < tasks; i++)
			overruns += (unsigned int)sched.thread[i + 2].overruns;
	}
	assert_true(overruns > 10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_random) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
