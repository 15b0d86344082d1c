// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tests sched.edf on a minimal kernel, whose clock counts only the run time of threads. Some of the random threads
 * use more than they have reserved. The end of each job is compared with a simulation that implements only the rules
 * of the papers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "jobs.h"
#include "late_join.h"

#define FIRST 5000

/* The behaviour of a thread. */
struct task {
	uint64_t budget, period, first;
	bool sporadic;	     /* sleeps for `gap` between its jobs instead of being periodic */
	bool greedy;	     /* its jobs need more than the budget */
	uint64_t cost[JOBS]; /* ticks that each job runs */
	uint64_t gap[JOBS];
};

static struct task task[TASKS];
static unsigned int late[TASKS];

/* Generates a set with a utilization of at most 1. */
static void tasks_make(bool greedy)
{
	uint64_t free = 1000; /* thousandths of the time */

	tasks = 2 + random_below(TASKS - 1);
	for (unsigned int i = 0; i < tasks; i++) {
		struct task *t = &task[i];
		uint64_t share = i + 1 < tasks ? 1 + random_below((uint32_t)(free / 2)) : free;

		*t = (struct task){ .period = 20000 + 7 * random_below(20000), .first = FIRST };
		t->budget = t->period * share / 1000 / 2 + 1;
		if (t->budget < 1000)
			t->budget = 1000;
		free -= share / 2 < free - 20 ? share / 2 + 1 : 0;
		t->sporadic = !random_below(4);
		t->greedy = greedy && !random_below(3);
		t->first += t->sporadic ? random_below(30000) : 0;
		for (unsigned int j = 0; j < JOBS; j++) {
			t->cost[j] = 1 + random_below((uint32_t)t->budget - 1);
			if (t->greedy)
				t->cost[j] += random_below(3) * t->budget;
			t->gap[j] = 1 + random_below((uint32_t)t->period) + !t->greedy * t->period;
		}
	}
}

/* The reference: a constant-bandwidth server for each task. */
struct server {
	uint64_t left, deadline, renew; /* renew: time at which it may continue; 0: now */
	uint64_t work, wake, release, order;
	unsigned int job;
	bool active;
};

static struct server server[TASKS];
static uint64_t order;

static void server_wake(const struct task *t, struct server *v, uint64_t at)
{
	v->active = true;
	v->work = t->cost[v->job];
	if (v->deadline <= at ||
	    (double)v->left * (double)t->period > (double)t->budget * (double)(v->deadline - at)) {
		v->deadline = at + t->period;
		v->left = t->budget;
	}
	v->renew = v->left ? 0 : v->deadline;
	v->order = ++order;
}

static void rules_done(unsigned int i, uint64_t now)
{
	const struct task *t = &task[i];
	struct server *v = &server[i];
	uint64_t passed;

	expected[i][v->job++] = now;
	v->active = false;
	if (v->job == JOBS) {
		v->wake = LIMPET_NEVER;
	} else if (t->sporadic) {
		v->wake = now + t->gap[v->job];
	} else if (now < v->release) {
		v->wake = v->release;
		v->release += t->period;
	} else {
		passed = (now - v->release) / t->period;
		v->release += (passed + 1) * t->period;
		v->active = true; /* the next job is late: it starts with the remaining budget */
		v->work = t->cost[v->job];
	}
}

/* Wakes and renews all tasks that are due. */
static uint64_t rules_pass(uint64_t now)
{
	uint64_t next = LIMPET_NEVER;

	for (unsigned int i = 0; i < tasks; i++) {
		struct server *v = &server[i];

		if (!v->active && v->wake <= now)
			server_wake(&task[i], v, v->wake);
		if (v->active && v->renew && v->renew <= now) {
			v->left = task[i].budget;
			v->deadline += task[i].period;
			v->renew = 0;
			v->order = ++order;
		}
		if (!v->active && v->wake < next)
			next = v->wake;
		if (v->active && v->renew && v->renew < next)
			next = v->renew;
	}
	return next;
}

static bool rules_ready(unsigned int i)
{
	return server[i].active && !server[i].renew;
}

static bool rules_before(unsigned int i, unsigned int other)
{
	if (server[i].deadline != server[other].deadline)
		return server[i].deadline < server[other].deadline;
	return server[i].order < server[other].order;
}

static uint64_t rules_work(unsigned int i)
{
	return server[i].work;
}

static uint64_t rules_may(unsigned int i)
{
	return server[i].left;
}

static void rules_run(unsigned int i, uint64_t ticks)
{
	server[i].work -= ticks;
	server[i].left -= ticks;
	if (!server[i].left)
		server[i].renew = server[i].deadline;
}

static void rules_begin(void)
{
	order = 0;
	for (unsigned int i = 0; i < tasks; i++)
		server[i] = (struct server){ .wake = task[i].first,
					     .release = task[i].first + task[i].period };
}

/* Executes the same task on the scheduler. */
static void task_thread(unsigned int id)
{
	struct task *t = &task[id - 2];
	struct sched_periodic_wait_results out;

	FAKE_CHECK(sched_serve_reserve(BADGE, 0, t->budget, t->period) == LIMPET_OK);
	if (t->sporadic)
		sched_serve_sleep_until(BADGE, t->first);
	else
		sched_serve_periodic(BADGE, t->period, t->first);
	for (unsigned int j = 0; j < JOBS; j++) {
		if (!t->sporadic)
			late[id - 2] += sched_serve_periodic_wait(BADGE, &out) > 0;
		else if (j)
			sched_serve_sleep_until(BADGE, fake_now + t->gap[j]);
		fake_run_for(t->cost[j]);
		done[id - 2][j] = fake_now;
	}
}

static void run(void (*thread)(unsigned int), unsigned int threads)
{
	uint8_t priority[TASKS + 2];

	memset(priority, 5, sizeof(priority));
	memset(late, 0, sizeof(late));
	jobs_run(threads, priority, thread);
}

/* A feasible set meets all deadlines, and runs like the simulation. */
static void test_admitted(void **state)
{
	(void)state;
	for (unsigned int set = 1; set <= 400; set++) {
		seed = set;
		tasks_make(false);
		jobs_simulate();
		run(task_thread, tasks);
		jobs_compare(set);
		for (unsigned int i = 0; i < tasks; i++) {
			assert_int_equal(late[i], 0);
			assert_int_equal(fake_misses[i + 2], 0);
			assert_int_equal(sched.thread[i + 2].overruns, 0);
		}
	}
}

/* The overrun of some threads does not affect the other threads. */
static void test_overrun(void **state)
{
	unsigned int overruns = 0, missed = 0;

	(void)state;
	for (unsigned int set = 1; set <= 400; set++) {
		seed = 5000 + set;
		tasks_make(true);
		jobs_simulate();
		run(task_thread, tasks);
		jobs_compare(set);
		for (unsigned int i = 0; i < tasks; i++) {
			if (task[i].greedy) {
				overruns += sched.thread[i + 2].overruns;
				missed += fake_misses[i + 2];
			} else {
				assert_int_equal(late[i], 0);
				assert_int_equal(fake_misses[i + 2], 0);
			}
		}
	}
	assert_true(overruns > 1000);
	assert_true(missed > 1000);
}

static long status[4];

static void admission_thread(unsigned int id)
{
	(void)id;
	if (id == 2) {
		status[0] = sched_serve_reserve(BADGE, 0, 60000, 100000);
		status[1] = sched_serve_reserve(BADGE, 3, 50000, 100000);
		status[2] = sched_serve_reserve(BADGE, 3, 40000, 100000);
		status[3] = sched_serve_reserve(BADGE, 0, 60001, 100000);
		FAKE_CHECK(sched_serve_reserve(BADGE, 0, 999, 100000) == LIMPET_ERANGE);
		FAKE_CHECK(sched_serve_reserve(BADGE, 0, 2000, 1999) == LIMPET_ERANGE);
		FAKE_CHECK(sched_serve_reserve(BADGE, 0, 2000, PERIOD_MAX + 1) == LIMPET_ERANGE);
		FAKE_CHECK(sched_serve_reserve(BADGE, 9, 2000, 9000) == LIMPET_ENOENT);
		FAKE_CHECK(sched_serve_reserve(BADGE + 1, 3, 2000, 9000) == LIMPET_ENOENT);
	}
}

static void test_admission(void **state)
{
	(void)state;
	run(admission_thread, 2);
	assert_int_equal(status[0], LIMPET_OK);
	assert_int_equal(status[1], LIMPET_EQUOTA);
	assert_int_equal(status[2], LIMPET_OK);
	assert_int_equal(status[3], LIMPET_EQUOTA);
}

static char trace[200];

/* The order is reserved, periodic, by priority, although the last thread has been ready all the time. */
static void order_thread(unsigned int id)
{
	struct sched_periodic_wait_results out;

	if (id == 2)
		FAKE_CHECK(sched_serve_reserve(BADGE, 0, 5000, 50000) == LIMPET_OK);
	if (id < 4) {
		sched_serve_periodic(BADGE, id == 3 ? 20000 : 50000, 30000);
		sched_serve_periodic_wait(BADGE, &out);
	} else if (id == 4) {
		sched_serve_sleep_until(BADGE, 30000);
	}
	snprintf(trace + strlen(trace), 20, "%u@%lu ", id, fake_now);
	fake_run_for(id == 5 ? 40000 : 4000);
	snprintf(trace + strlen(trace), 20, "-%u ", id);
}

static void test_order(void **state)
{
	(void)state;
	trace[0] = 0;
	run(order_thread, 4);
	assert_string_equal(trace, "5@1000 2@30000 -2 3@34000 -3 -5 4@49000 -4 ");
}

/*
 * The wait of thread 2 for thread 4 times out while 4 runs, and 4 ends before 2 continues. Then 2 is ready once, so
 * thread 3 still has its turn.
 */
static void join_late_thread(unsigned int id)
{
	struct sched_join_results out = { 0 };

	if (id == 4) {
		late_join_work();
		return;
	}
	if (id == 2) {
		FAKE_CHECK(sched_serve_create(BADGE, 1, 0, 20) == 4);
		FAKE_CHECK(sched_serve_join(BADGE, 4, 3000, &out) == LIMPET_OK && out.value == 5);
	} else {
		FAKE_CHECK(sched_serve_sleep_until(BADGE, 3500) == LIMPET_OK);
	}
	snprintf(trace + strlen(trace), 20, "%u@%lu ", id, fake_now);
	FAKE_CHECK(sched_serve_sleep_until(BADGE, 5000) == LIMPET_OK);
	snprintf(trace + strlen(trace), 20, "%u@%lu ", id, fake_now);
}

static void test_join_late(void **state)
{
	const uint8_t priority[] = { 0, 255, 5, 5, 5 };

	(void)state;
	trace[0] = 0;
	fake_run(&(struct fake_setup){
		.threads = 4, .priority = priority, .thread = join_late_thread, .spare = 1 << 4 });
	assert_string_equal(fake_failure ? fake_failure : "", "");
	assert_string_equal(trace, "2@4000 3@4000 2@5000 3@5000 ");
}

/* A job of a thread that is not periodic must end in its reservation's period. */
static void due_thread(unsigned int id)
{
	struct sched_account_results out;

	(void)id;
	sched_serve_reserve(BADGE, 0, 5000, 20000);
	sched_serve_sleep_until(BADGE, 30000);
	fake_run_for(4000);
	sched_serve_sleep_until(BADGE, 60000);
	FAKE_CHECK(!sched_serve_account(BADGE, 0, &out) && !out.misses && !out.overruns);
	FAKE_CHECK(out.ticks == 4000);
	fake_run_for(12000); /* needs two more spans, and ends in the third */
	FAKE_CHECK(fake_now == 60000 + 2 * 20000 + 2000);
	sched_serve_sleep_until(BADGE, 200000);
	FAKE_CHECK(!sched_serve_account(BADGE, 0, &out) && out.misses == 1 && out.overruns == 2);
}

static void test_due(void **state)
{
	(void)state;
	run(due_thread, 1);
	assert_int_equal(fake_misses[2], 1);
}

/* A job that ends early continues at the end of the span, with its whole budget, and then counts as in time. */
static void job_thread(unsigned int id)
{
	struct sched_deadline_wait_results waited = { 0 };
	uint64_t start;

	(void)id;
	FAKE_CHECK(sched_serve_deadline_wait(BADGE, &waited) == LIMPET_ESTATE);
	FAKE_CHECK(sched_serve_reserve_deadline(BADGE, 0, 999, 20000) == LIMPET_ERANGE);
	FAKE_CHECK(sched_serve_reserve_deadline(BADGE, 0, 20001, 20000) == LIMPET_ERANGE);
	FAKE_CHECK(sched_serve_reserve_deadline(BADGE, 9, 5000, 20000) == LIMPET_ENOENT);
	FAKE_CHECK(sched_serve_reserve_deadline(BADGE, 0, 5000, 20000) == LIMPET_OK);
	start = fake_now;
	for (unsigned int n = 1; n < 5; n++) {
		fake_run_for(1000 * n);
		FAKE_CHECK(sched_serve_deadline_wait(BADGE, &waited) == LIMPET_OK);
		FAKE_CHECK(fake_now == start + n * 20000 && waited.due == fake_now);
	}
	fake_run_for(4999); /* almost the whole budget */
	FAKE_CHECK(sched_serve_deadline_wait(BADGE, &waited) == LIMPET_OK);
	FAKE_CHECK(fake_now == start + 5 * 20000);
	fake_run_for(12000); /* needs this span and two more, the job is late */
	FAKE_CHECK(fake_now == start + 7 * 20000 + 2000);
	FAKE_CHECK(sched_serve_deadline_wait(BADGE, &waited) == LIMPET_OK);
	FAKE_CHECK(fake_now == start + 8 * 20000);
	FAKE_CHECK(sched_serve_reserve_deadline(BADGE, 0, 0, 0) == LIMPET_OK);
	FAKE_CHECK(sched_serve_deadline_wait(BADGE, &waited) == LIMPET_ESTATE);
}

static void test_job(void **state)
{
	(void)state;
	run(job_thread, 1);
	assert_null(fake_failure);
}

/* --- the sum of run times */

#define SUM_THREADS 8
#define SUM_BITS (((1ul << SUM_THREADS) - 1) << 2)

static unsigned long sums;

static void sum_check(void)
{
	struct sched_account_sum_results out;
	uint64_t expected_sum = 0;

	FAKE_CHECK(sched_serve_account_sum(BADGE, SUM_BITS, 0, &out) == LIMPET_OK);
	for (unsigned int id = 2; id <= sched.threads; id++)
		expected_sum += fake_ran(id);
	FAKE_CHECK(out.ticks == expected_sum);
	sums++;
}

/* Threads sleep, compute with preemptions, start and end reservations, and wake each other. */
static void sum_thread(unsigned int id)
{
	for (unsigned int n = 0; n < 40; n++) {
		switch (random_below(6)) {
		case 0:
			sched_serve_sleep_until(BADGE, fake_now + 1 + random_below(9000));
			break;
		case 1:
			sched_serve_reserve(BADGE, 0, random_below(2) ? 1500 : 0, 30000);
			break;
		case 2:
			sched_serve_block_until(BADGE, fake_now + random_below(20000));
			break;
		case 3:
			sched_serve_wake(BADGE, 2 + (id + random_below(SUM_THREADS)) % SUM_THREADS);
			break;
		default:
			fake_run_for(1 + random_below(4000));
		}
		sum_check();
	}
}

static void sum_edge_thread(unsigned int id)
{
	struct sched_account_sum_results out;

	if (id == 3) {
		fake_run_for(7000);
		return;
	}
	fake_run_for(3000);
	sched_serve_sleep_until(BADGE, 60000);
	FAKE_CHECK(!sched_serve_account_sum(BADGE, 3, 2, &out) && out.ticks == 10000);
	FAKE_CHECK(!sched_serve_account_sum(BADGE, 1, 3, &out) && out.ticks == 7000);
	FAKE_CHECK(!sched_serve_account_sum(BADGE, 0, 2, &out) && out.ticks == 0);
	FAKE_CHECK(!sched_serve_account_sum(BADGE, ~0ul, 0, &out) && out.ticks == 10000);
	FAKE_CHECK(!sched_serve_account_sum(BADGE, 3, 1022, &out) && out.ticks == 0);
	FAKE_CHECK(!sched_serve_account_sum(BADGE, 3, ~0ul, &out) && out.ticks == 0);
	FAKE_CHECK(!sched_serve_account_sum(BADGE + 1, 3, 2, &out) && out.ticks == 0);
}

/* Spare threads count before they are created, while they work and after their end. */
static void spare_work(void)
{
	fake_run_for(2500);
	sum_check();
}

static void sum_spare_thread(unsigned int id)
{
	struct sched_work_results work;

	for (unsigned int n = 0; id >= 4 && n < 2; n++) {
		FAKE_CHECK(!sched_serve_work(BADGE, &work));
		spare_work();
		if (!n)
			sched_serve_exit(BADGE, 0);
	}
	for (unsigned int n = 0; id == 2 && n < 4; n++) {
		long made;

		sum_check();
		made = sched_serve_create(BADGE, 1, 0, 1);
		FAKE_CHECK(made == 4 || made == 5);
		sum_check();
		FAKE_CHECK(!sched_serve_detach(BADGE, (word)made));
		fake_run_for(1000);
		sched_serve_sleep_until(BADGE, fake_now + random_below(6000));
		sum_check();
	}
}

static void test_sum_spare(void **state)
{
	const uint8_t priority[] = { 0, 255, 5, 5, 9, 9 };

	(void)state;
	sums = 0;
	fake_run(&(struct fake_setup){ .threads = 5,
				       .priority = priority,
				       .thread = sum_spare_thread,
				       .spare = 1 << 4 | 1 << 5 });
	assert_string_equal(fake_failure ? fake_failure : "", "");
	assert_int_equal(sums, 4 * 3 + 4);
	assert_int_equal(fake_ran(4) + fake_ran(5), 4 * 2500);
}

static void test_sum(void **state)
{
	(void)state;
	for (unsigned int set = 1; set <= 200; set++) {
		seed = 9000 + set;
		run(sum_thread, SUM_THREADS);
		assert_null(fake_failure);
	}
	assert_int_equal(sums, 200 * SUM_THREADS * 40);
	run(sum_edge_thread, 2);
	assert_null(fake_failure);
}

/* --- changes of reservations */

#define VICTIM 50000 /* reserved for thread 2 in each period */
#define VICTIM_PERIOD 100000
#define VICTIM_JOBS 20
#define THIEVES 5 /* threads 3 to 7; the last two are spare */

static void (*thief)(unsigned int id);
static bool victim_done;

/* The others can reserve the other half of the time. */
static void victim_thread(void)
{
	struct sched_periodic_wait_results out;

	FAKE_CHECK(!sched_serve_reserve(BADGE, 0, VICTIM, VICTIM_PERIOD));
	sched_serve_periodic(BADGE, VICTIM_PERIOD, VICTIM_PERIOD);
	for (unsigned int n = 0; n < VICTIM_JOBS; n++) {
		late[0] += sched_serve_periodic_wait(BADGE, &out) > 0;
		fake_run_for(VICTIM - VICTIM / 100); /* without the rounding of shares */
		late[0] += fake_now > out.due + VICTIM_PERIOD;
	}
	victim_done = true;
}

static void theft_thread(unsigned int id)
{
	struct sched_work_results work;

	if (id == 2) {
		victim_thread();
		return;
	}
	sched_serve_sleep_until(BADGE, 2000);
	while (!victim_done) {
		if (id > THIEVES)
			FAKE_CHECK(!sched_serve_work(BADGE, &work));
		thief(id);
		if (id > THIEVES)
			sched_serve_exit(BADGE, 0);
	}
}

/* Returns whether all jobs of thread 2 ended in time. */
static bool theft_fails(void (*with)(unsigned int))
{
	const uint8_t priority[] = { 0, 255, 5, 5, 5, 5, 5, 5 };
	uint64_t shares = 0;

	thief = with;
	late[0] = 0;
	victim_done = false;
	fake_run(&(struct fake_setup){ .threads = THIEVES + 2,
				       .priority = priority,
				       .thread = theft_thread,
				       .spare = 1 << 6 | 1 << 7 });
	assert_string_equal(fake_failure ? fake_failure : "", "");
	for (unsigned int id = 2; id <= THIEVES + 2; id++)
		shares += sched.thread[id].share;
	assert_int_equal(shares, sched.reserved);
	return victim_done && !late[0] && !fake_misses[2];
}

/* Uses most of a budget, and reserves again. */
static void thief_again(unsigned int id)
{
	if (id == 3) {
		FAKE_CHECK(!sched_serve_reserve(BADGE, 0, 2000, 4000));
		fake_run_for(1900);
	} else {
		sched_serve_sleep_until(BADGE, 10000000);
	}
}

/* The budgets differ. */
static void thief_changes(unsigned int id)
{
	if (id == 3) {
		FAKE_CHECK(!sched_serve_reserve(BADGE, 0, 2000 + fake_now % 2, 4100));
		fake_run_for(1900);
	} else {
		sched_serve_sleep_until(BADGE, 10000000);
	}
}

/* Thread 4 has an earlier deadline than the thread that it helps, and needs no run time. */
static void thief_helps(unsigned int id)
{
	if (id == 4)
		FAKE_CHECK(!sched_serve_reserve(BADGE, 0, 1000, 3001));
	sched_serve_sleep_until(BADGE, id == 4 ? fake_now + 900 : 10000000);
}

/* Thread 4 ends the reservation of thread 3, which has run for a part of it, and then makes it again. */
static void thief_ends(unsigned int id)
{
	if (id == 3) {
		fake_run_for(1000);
		sched_serve_yield(BADGE);
		return;
	}
	thief_helps(id);
	FAKE_CHECK(!sched_serve_reserve(BADGE, 3, 0, 0));
	FAKE_CHECK(!sched_serve_reserve(BADGE, 3, 1000, 6001));
}

/* Three threads use the time in turns. The ones that have used it have a small reservation. */
static void thief_turns(unsigned int id)
{
	if (id > 5)
		return;
	sched_serve_reserve(BADGE, 0, 1000, 20000);
	sched_serve_sleep_until(BADGE, fake_now + 1);
	if (!sched_serve_reserve(BADGE, 0, 8000, 20000))
		fake_run_for(7900);
}

/* A thread that ends frees the time for the next one. */
static void thief_exits(unsigned int id)
{
	long made;

	if (id > THIEVES) {
		fake_run_for(890);
		return;
	}
	thief_helps(id);
	made = sched_serve_create(BADGE, 1, 0, 9);
	if (made > 0) {
		sched_serve_detach(BADGE, (word)made);
		sched_serve_reserve(BADGE, (word)made, 1000, 6001);
	}
}

/* Thread 4 changes the reservations of the others, and they change their own ones. */
static void thief_random(unsigned int id)
{
	const uint64_t budget = 1000 + random_below(800);
	const uint64_t period = budget * (6 + random_below(5)) + 1;
	const word other = random_below(3) ? 3 : 5 + random_below(3);
	long made;

	if (id == 4) {
		thief_helps(id);
		if (!random_below(4))
			sched_serve_reserve(BADGE, other, 0, 0);
		made = sched_serve_create(BADGE, 1, 0, 9);
		if (made > 0)
			sched_serve_detach(BADGE, (word)made);
		if (made > 0 && random_below(2))
			sched_serve_reserve(BADGE, (word)made, budget, period);
		else
			sched_serve_reserve(BADGE, other, budget, period);
		return;
	}
	switch (random_below(8)) {
	case 0:
		sched_serve_sleep_until(BADGE, fake_now + random_below(2000));
		break;
	case 1:
		sched_serve_suspend_on(BADGE, 7, fake_now, 3 + random_below(THIEVES),
				       fake_now + random_below(2000));
		break;
	case 2:
	case 3:
		sched_serve_reserve(BADGE, 0, budget, period);
		break;
	default:
		fake_run_for(random_below(1500));
		sched_serve_yield(BADGE);
		sched_serve_resume_on(BADGE, 7);
	}
}

/* No sequence of changes takes another reservation's time. */
static void test_theft(void **state)
{
	(void)state;
	assert_true(theft_fails(thief_again));
	assert_true(theft_fails(thief_changes));
	assert_true(theft_fails(thief_ends));
	assert_true(theft_fails(thief_turns));
	assert_true(theft_fails(thief_exits));
	for (seed = 1; seed <= 100; seed++)
		if (!theft_fails(thief_random))
			fail_msg("seed %u: %u jobs late", seed, late[0]);
}

/* A reservation that has ended is free at the end of its period. One that was not used is free immediately. */
static void freed_thread(unsigned int id)
{
	uint64_t begin = fake_now, end;

	if (id == 3) {
		sched_serve_sleep_until(BADGE, 10000000);
		return;
	}
	FAKE_CHECK(!sched_serve_reserve(BADGE, 0, 5000, 10000));
	FAKE_CHECK(!sched_serve_reserve(BADGE, 0, 9000, 10000));
	FAKE_CHECK(!sched_serve_reserve(BADGE, 0, 0, 0));
	FAKE_CHECK(!sched_serve_reserve(BADGE, 0, 9000, 10000));
	fake_run_for(8000);
	FAKE_CHECK(!sched_serve_reserve(BADGE, 0, 3000, 10000));
	FAKE_CHECK(sched.thread[2].left == 1000 && fake_now == begin + 8000);
	FAKE_CHECK(sched_serve_reserve(BADGE, 3, 7000, 10000) == LIMPET_EQUOTA);
	fake_run_for(2000); /* the rest, then a part of the new budget */
	FAKE_CHECK(fake_now == begin + 11000);
	FAKE_CHECK(!sched_serve_reserve(BADGE, 3, 7000, 10000));
	FAKE_CHECK(!sched_serve_reserve(BADGE, 3, 0, 0));
	FAKE_CHECK(!sched_serve_reserve(BADGE, 0, 0, 0));
	FAKE_CHECK(sched_serve_reserve(BADGE, 3, 8000, 10000) == LIMPET_EQUOTA);
	end = begin + 20000;
	sched_serve_sleep_until(BADGE, end);
	FAKE_CHECK(!sched_serve_reserve(BADGE, 3, 10000, 10000));
	FAKE_CHECK(sched_serve_reserve(BADGE, 0, 1000, 100000) == LIMPET_EQUOTA);
	FAKE_CHECK(!sched_serve_reserve(BADGE, 3, 0, 0) && !sched.reserved);
}

static void test_freed(void **state)
{
	(void)state;
	run(freed_thread, 2);
	assert_null(fake_failure);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_admitted),  cmocka_unit_test(test_overrun),
		cmocka_unit_test(test_admission), cmocka_unit_test(test_order),
		cmocka_unit_test(test_due),	  cmocka_unit_test(test_job),
		cmocka_unit_test(test_sum),	  cmocka_unit_test(test_sum_spare),
		cmocka_unit_test(test_join_late), cmocka_unit_test(test_theft),
		cmocka_unit_test(test_freed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
