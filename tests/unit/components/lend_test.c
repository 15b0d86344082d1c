// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tests sched.fixed-priority on a minimal kernel: lent priority, threads that start and end,
 * budgets and turns. The clock counts only the run time of threads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <export/sched.h>

#include <sched/core.h>

#include "late_join.h"
#include "trace.h"

static void run_with(struct fake_setup setup, void (*thread)(unsigned int), unsigned int threads,
		     const uint8_t *priority)
{
	setup.thread = thread;
	setup.threads = threads;
	setup.priority = priority;
	setup.points = UINT64_MAX;
	run_setup(&setup);
}

static void run(void (*thread)(unsigned int), unsigned int threads, const uint8_t *priority)
{
	run_with((struct fake_setup){ 0 }, thread, threads, priority);
}

/* A lock like those of lib/sync, without their fast path. */
struct resource {
	unsigned int owner;
	uint64_t waiters;
};

static struct resource a, b;

#define RELEASE_THREADS 60

static void take(struct resource *r, unsigned int id)
{
	r->waiters |= 1ul << id;
	while (r->owner)
		FAKE_CHECK(sched_serve_suspend_for(BADGE, r->owner, LIMPET_NEVER) == LIMPET_OK);
	r->waiters &= ~(1ul << id);
	r->owner = id;
}

static void drop(struct resource *r)
{
	r->owner = 0;
	if (r->waiters)
		FAKE_CHECK(sched_serve_resume_best(BADGE, r->waiters, 0) > 0);
}

/*
 * The low thread has the lock, the high thread wants it, and the middle thread runs for long. High
 * waits for low, but not for middle.
 */
static void inversion_thread(unsigned int id)
{
	if (id == 2) {
		take(&a, id);
		fake_run_for(10000);
		drop(&a);
		mark("low@%lu ", fake_now);
	} else if (id == 3) {
		sched_serve_sleep_until(BADGE, 4000);
		fake_run_for(100000);
		mark("middle@%lu ", fake_now);
	} else {
		sched_serve_sleep_until(BADGE, 3000);
		take(&a, id);
		mark("high@%lu ", fake_now);
		drop(&a);
	}
}

static void test_inversion(void **state)
{
	(void)state;
	memset(&a, 0, sizeof(a));
	run(inversion_thread, 4, (const uint8_t[]){ 0, 255, 5, 9, 20 });
	assert_string_equal(trace, "high@11000 middle@111000 low@111000 ");
	assert_int_equal(sched.thread[2].key, sched.thread[2].own);
}

/*
 * High waits for middle, which waits for low, so low has the priority of high until it releases a.
 */
static void chain_thread(unsigned int id)
{
	if (id == 2) {
		take(&a, id);
		fake_run_for(10000);
		mark("a:%lu ", 255 - sched.thread[2].key);
		drop(&a);
		mark("low@%lu ", fake_now);
	} else if (id == 3) {
		sched_serve_sleep_until(BADGE, 2000);
		take(&b, id);
		take(&a, id);
		mark("b:%lu@%lu ", 255 - sched.thread[3].key, fake_now);
		fake_run_for(5000);
		drop(&a);
		drop(&b);
	} else if (id == 4) {
		sched_serve_sleep_until(BADGE, 3000);
		fake_run_for(50000);
		mark("other@%lu ", fake_now);
	} else {
		sched_serve_sleep_until(BADGE, 4000);
		take(&b, id);
		mark("high@%lu ", fake_now);
		drop(&b);
	}
}

static void test_chain(void **state)
{
	(void)state;
	memset(&a, 0, sizeof(a));
	memset(&b, 0, sizeof(b));
	run(chain_thread, 5, (const uint8_t[]){ 0, 255, 5, 9, 15, 20 });
	/* 4 runs from 3000 to 4000, then 2 and 3 before it */
	assert_string_equal(trace, "a:20 b:20@12000 high@17000 other@66000 low@66000 ");
}

/*
 * A waiter that stops waiting also stops lending. The waiter with the highest priority, then the
 * longest wait, is next.
 */
static void best_thread(unsigned int id)
{
	static const uint64_t until[] = { 0, 0, 0, 5000, LIMPET_NEVER, LIMPET_NEVER, LIMPET_NEVER };
	long status;

	if (id == 2) {
		sched_serve_sleep_until(BADGE, 2000);
		fake_run_for(2000);
		mark("%lu ", 255 - sched.thread[2].key);
		fake_run_for(2000);
		mark("%lu ", 255 - sched.thread[2].key);
		FAKE_CHECK(sched_serve_resume_best(BADGE, 0, 0) == LIMPET_ENOENT);
		FAKE_CHECK(sched_serve_resume_best(BADGE, 1ul << 40, 0) == LIMPET_ENOENT);
		FAKE_CHECK(sched_serve_resume_best(BADGE, ~0ul, 1ul << 60) == LIMPET_ENOENT);
		mark("+%ld ", sched_serve_resume_best(BADGE, 1ul << 4 | 1ul << 5 | 1ul << 6, 0));
		mark("%lu ", 255 - sched.thread[2].key);
		return;
	}
	FAKE_CHECK(sched_serve_suspend_for(BADGE, 60, LIMPET_NEVER) == LIMPET_ENOENT);
	sched_serve_sleep_until(BADGE, 1500 + id);
	status = sched_serve_suspend_for(BADGE, 2, until[id]);
	mark("%u:%ld:%lu ", id, status, 255 - sched.thread[id].key);
	if (id == 5)
		mark("+%ld ", sched_serve_resume_best(BADGE, 1ul << 4 | 1ul << 6, 0));
	if (id == 4)
		mark("+%ld ", sched_serve_resume_best(BADGE, 1, 6));
}

static void test_best(void **state)
{
	(void)state;
	run(best_thread, 6, (const uint8_t[]){ 0, 255, 5, 30, 8, 9, 8 });
	assert_string_equal(trace, "30 3:-15:30 9 5:0:9 +4 4:0:8 +6 6:0:8 +5 5 ");
}

/* An early resume is stored. A thread that lends to itself or to no thread just waits. */
static void token_thread(unsigned int id)
{
	if (id == 2) {
		FAKE_CHECK(sched_serve_resume_best(BADGE, 1ul << 3, 0) == 3);
		FAKE_CHECK(sched_serve_suspend_for(BADGE, 2, 3000) == LIMPET_ETIME);
		FAKE_CHECK(fake_now == 3000);
		return;
	}
	FAKE_CHECK(sched_serve_suspend_for(BADGE, 2, LIMPET_NEVER) == LIMPET_OK);
	FAKE_CHECK(sched_serve_suspend_for(BADGE, 0, 2000) == LIMPET_ETIME);
	mark("done ");
}

static void test_token(void **state)
{
	(void)state;
	run(token_thread, 3, (const uint8_t[]){ 0, 255, 9, 5 });
	assert_string_equal(trace, "done ");
}

static void priority_thread(unsigned int id)
{
	if (id == 3) {
		mark("3 ");
		return;
	}
	FAKE_CHECK(sched_serve_priority(BADGE, 0, 256) == LIMPET_ERANGE);
	FAKE_CHECK(sched_serve_priority(BADGE, 50, 5) == LIMPET_ENOENT);
	FAKE_CHECK(sched_serve_priority(BADGE + 1, 3, 5) == LIMPET_ENOENT);
	FAKE_CHECK(sched_serve_priority(BADGE, 3, 0) == 5);
	mark("%ld ", sched_serve_priority(BADGE, 3, 10));
	mark("%ld ", sched_serve_priority(BADGE, 0, 8));
}

static void test_priority(void **state)
{
	(void)state;
	run(priority_thread, 3, (const uint8_t[]){ 0, 255, 9, 5 });
	assert_string_equal(trace, "3 5 9 ");
}

/* Does what the runtime does with a spare thread. */
static void spare_loop(unsigned int id)
{
	struct sched_work_results out;

	for (;;) {
		FAKE_CHECK(sched_serve_work(BADGE, &out) == LIMPET_OK);
		mark("%u:%lu ", id, out.argument);
		if (out.entry == 7)
			return; /* it ends */
		fake_run_for(out.entry);
		FAKE_CHECK(sched_serve_exit(BADGE, out.argument + 1) == LIMPET_OK);
	}
}

static void create_thread(unsigned int id)
{
	struct sched_join_results out = { 0 };
	struct sched_work_results none;

	if (id > 2) {
		spare_loop(id);
		return;
	}
	FAKE_CHECK(sched_serve_work(BADGE, &none) == LIMPET_ESTATE);
	FAKE_CHECK(sched_serve_join(BADGE, 3, LIMPET_NEVER, &out) == LIMPET_ENOENT);
	FAKE_CHECK(sched_serve_join(BADGE, 2, LIMPET_NEVER, &out) == LIMPET_ESTATE);
	FAKE_CHECK(sched_serve_create(BADGE, 100, 1, 256) == LIMPET_ERANGE);
	FAKE_CHECK(sched_serve_create(BADGE + 1, 100, 1, 0) == LIMPET_EQUOTA);
	FAKE_CHECK(sched_serve_create(BADGE, 100, 10, 9) == 3); /* it runs immediately, and ends */
	FAKE_CHECK(sched_serve_create(BADGE, 3000, 20, 2) == 4);
	FAKE_CHECK(sched_serve_create(BADGE, 100, 30, 0) == LIMPET_EQUOTA);
	FAKE_CHECK(sched_serve_join(BADGE, 3, 0, &out) == LIMPET_OK && out.value == 11);
	FAKE_CHECK(sched_serve_join(BADGE, 3, 0, &out) == LIMPET_ENOENT);
	FAKE_CHECK(sched_serve_join(BADGE, 4, fake_now + 1000, &out) == LIMPET_ETIME);
	FAKE_CHECK(sched_serve_join(BADGE + 1, 4, LIMPET_NEVER, &out) == LIMPET_ENOENT);
	FAKE_CHECK(sched_serve_join(BADGE, 4, LIMPET_NEVER, &out) == LIMPET_OK && out.value == 21);
	mark("joined@%lu ", fake_now);
	FAKE_CHECK(sched_serve_create(BADGE, 100, 40, 2) == 3);
	FAKE_CHECK(sched_serve_detach(BADGE, 3) == LIMPET_OK);
	FAKE_CHECK(sched_serve_detach(BADGE, 3) == LIMPET_ESTATE);
	FAKE_CHECK(sched_serve_join(BADGE, 3, LIMPET_NEVER, &out) == LIMPET_ESTATE);
	sched_serve_sleep_until(BADGE, fake_now + 500);
	FAKE_CHECK(sched_serve_detach(BADGE, 3) == LIMPET_ENOENT); /* spare again */
	FAKE_CHECK(sched_serve_create(BADGE, 100, 50, 9) == 4);
	FAKE_CHECK(sched_serve_detach(BADGE, 4) == LIMPET_OK); /* after its end */
	FAKE_CHECK(sched_serve_create(BADGE, 7, 60, 9) == 3);
	FAKE_CHECK(sched_serve_join(BADGE, 3, LIMPET_NEVER, &out) == LIMPET_ECRASH);
	FAKE_CHECK(sched_serve_create(BADGE, 7, 70, 2) == 4);
	FAKE_CHECK(sched_serve_join(BADGE, 4, LIMPET_NEVER, &out) == LIMPET_ECRASH);
	FAKE_CHECK(sched_serve_create(BADGE, 7, 80, 2) == LIMPET_EQUOTA);
	mark("end ");
}

/*
 * The wait of thread 2 for thread 3 times out while 3 runs, and 3 ends before 2 continues. Then 2 is ready once, so
 * thread 4 of the same priority still has its turn.
 */
static void join_late_thread(unsigned int id)
{
	struct sched_join_results out = { 0 };

	if (id == 3) {
		late_join_work();
	} else if (id == 4) {
		FAKE_CHECK(sched_serve_sleep_until(BADGE, 1500) == LIMPET_OK);
		mark("4@%lu ", fake_now);
		FAKE_CHECK(sched_serve_sleep_until(BADGE, 3500) == LIMPET_OK);
		mark("4@%lu ", fake_now);
	} else {
		FAKE_CHECK(sched_serve_create(BADGE, 1, 0, 20) == 3);
		FAKE_CHECK(sched_serve_join(BADGE, 3, 3000, &out) == LIMPET_OK && out.value == 5);
		mark("2@%lu ", fake_now);
		FAKE_CHECK(sched_serve_sleep_until(BADGE, 5000) == LIMPET_OK);
		mark("2@%lu ", fake_now);
	}
}

static void test_join_late(void **state)
{
	(void)state;
	run_with((struct fake_setup){ .spare = 1ul << 3 }, join_late_thread, 4,
		 (const uint8_t[]){ 0, 255, 10, 10, 10 });
	assert_string_equal(trace, "4@1500 2@4000 4@4000 2@5000 ");
}

/* Threads 3 to 6 wait for object 7. Thread 7 waits for another object. Thread 2 has the lowest priority and names both. */
static void object_thread(unsigned int id)
{
	const word object = id == 7 ? 9 : 7;
	const uint64_t before = fake_now;

	if (id > 2) {
		fake_now += id;
		FAKE_CHECK(sched_serve_suspend_on(BADGE, object, fake_now, id == 6 ? 0 : 2,
						  id == 6 ? fake_now + 5000 : LIMPET_NEVER) ==
			   (id == 6 ? LIMPET_ETIME : LIMPET_OK));
		mark("%u@%u ", id, sched.thread[2].key == sched.thread[2].own);
		return;
	}
	FAKE_CHECK(sched_serve_sleep_until(BADGE, fake_now + 1000) == LIMPET_OK);
	FAKE_CHECK(sched.thread[2].key == 255 - 30); /* priority of 7 */
	FAKE_CHECK(sched_serve_resume_on(BADGE + 1, 7) == LIMPET_ENOENT);
	FAKE_CHECK(sched_serve_resume_on(BADGE, 8) == LIMPET_ENOENT);
	FAKE_CHECK(sched_serve_suspend_on(BADGE, 1, 0, 63, 0) == LIMPET_ENOENT);
	FAKE_CHECK(sched_serve_resume_on(BADGE, 9) == LIMPET_OK);
	FAKE_CHECK(sched.thread[2].key == 255 - 20); /* priority of 4 and 5 */
	FAKE_CHECK(sched_serve_suspend_on(BADGE, 9, before, 0, 0) == LIMPET_OK); /* 9 was resumed */
	fake_now += 1;
	FAKE_CHECK(sched_serve_suspend_on(BADGE, 9, fake_now, 0, 0) == LIMPET_ETIME);
	FAKE_CHECK(sched_serve_resume_on(BADGE, 7) == LIMPET_OK); /* 4 has waited longer than 5 */
	FAKE_CHECK(sched.thread[2].key ==
		   sched.thread[2].own); /* the others lent to 4, which has ended */
	FAKE_CHECK(sched_serve_sleep_until(BADGE, fake_now + 6000) == LIMPET_OK);
	FAKE_CHECK(sched_serve_resume_all(BADGE, 7) == LIMPET_OK);
	FAKE_CHECK(sched_serve_resume_all(BADGE, 7) == LIMPET_ENOENT);
	mark("end ");
}

static void test_objects(void **state)
{
	(void)state;
	run(object_thread, 7, (const uint8_t[]){ 0, 255, 5, 10, 20, 20, 15, 30 });
	assert_string_equal(trace, "7@0 4@1 6@1 5@1 3@1 end ");
}

static uint64_t release_points; /* memory accesses of one release */

/* All other threads wait for an object of thread 2. They have three priorities, all lower than that of thread 2. */
static void release_thread(unsigned int id)
{
	uint64_t before;
	bool others;

	if (id > 2) {
		FAKE_CHECK(sched_serve_suspend_on(BADGE, 7, fake_now, 2, LIMPET_NEVER) ==
			   LIMPET_OK);
		others = sched.thread[id].lender;
		FAKE_CHECK(sched_serve_resume_on(BADGE, 7) == (others ? LIMPET_OK : LIMPET_ENOENT));
		return;
	}
	FAKE_CHECK(sched_serve_sleep_until(BADGE, fake_now + 100000) == LIMPET_OK);
	before = fake_points;
	FAKE_CHECK(sched_serve_resume_on(BADGE, 7) == LIMPET_OK);
	release_points = fake_points - before;
	FAKE_CHECK(!sched.thread[2].lender);
}

/* With a function that is called at each access, the accesses are counted. */
static void never(void)
{
}

static uint64_t release_run(unsigned int threads)
{
	uint8_t priority[RELEASE_THREADS + 1] = { 0, 255, 50 };

	for (unsigned int id = 3; id <= threads; id++)
		priority[id] = (uint8_t)(10 + id % 3);
	run_with((struct fake_setup){ .preempt = never }, release_thread, threads, priority);
	return release_points;
}

/* The time of a release does not grow linearly: with 58 waiters it is at most twice the one with 3. */
static void test_release(void **state)
{
	uint64_t few = release_run(5), many = release_run(RELEASE_THREADS);

	(void)state;
	print_message("accesses of a release: 3 waiters %lu, 58 waiters %lu\n", few, many);
	assert_in_range(few, 20, 1000);
	assert_in_range(many, few / 2, 2 * few);
}

static uint64_t due_points; /* memory accesses until thread 3 runs after its wake-up */
static uint64_t due_begin;

/*
 * The waits of all threads from 4 on end while thread 2, of higher priority, runs. Then 2 wakes 3, of the highest
 * priority, and waits for a time. The others run in the order of priority.
 */
static void due_thread(unsigned int id)
{
	if (id == 2) {
		FAKE_CHECK(sched_serve_sleep_until(BADGE, 5000) == LIMPET_OK);
		fake_run_for(10000);
		due_begin = fake_points;
		FAKE_CHECK(sched_serve_wake(BADGE, 3) == LIMPET_OK);
		FAKE_CHECK(sched_serve_sleep_until(BADGE, 16000) == LIMPET_OK);
		mark("2@%lu ", fake_now);
	} else if (id == 3) {
		FAKE_CHECK(sched_serve_block(BADGE) == LIMPET_OK);
		due_points = fake_points - due_begin;
	} else {
		FAKE_CHECK(sched_serve_sleep_until(BADGE, 6000 + id * 37 % 60) == LIMPET_OK);
		fake_run_for(100);
		if (id < 13)
			mark("%u@%lu ", id, fake_now);
	}
}

static uint64_t due_run(unsigned int threads)
{
	uint8_t priority[RELEASE_THREADS + 1] = { 0, 255, 50, 60 };

	for (unsigned int id = 4; id <= threads; id++)
		priority[id] = (uint8_t)(10 + id % 5);
	run_with((struct fake_setup){ .preempt = never }, due_thread, threads, priority);
	return due_points;
}

/* The time until a thread runs does not grow with the number of due timers of threads of lower priority. */
static void test_due(void **state)
{
	uint64_t few = due_run(6), many;

	(void)state;
	assert_string_equal(trace, "4@15100 6@15200 5@15300 2@16000 ");
	due_run(12);
	assert_string_equal(trace, "4@15100 9@15200 8@15300 7@15400 12@15500 6@15600 11@15700 "
				   "5@15800 10@15900 2@16000 ");
	many = due_run(RELEASE_THREADS);
	print_message("accesses until a thread runs: 3 due timers %lu, 57 due timers %lu\n", few,
		      many);
	assert_in_range(few, 20, 1000);
	assert_in_range(many, few / 2, 2 * few);
}

/*
 * Threads 3, 4 and 5 wait for an object of 2. Only the first of them is in the list of 2, and 2 has its key: at first 4,
 * then 3, whose priority changes, then 5, because 3 times out.
 */
static void first_thread(unsigned int id)
{
	if (id == 2) {
		FAKE_CHECK(sched_serve_sleep_until(BADGE, 5000) == LIMPET_OK);
		FAKE_CHECK(sched.thread[2].lender == 4 && sched.thread[2].key == 255 - 20);
		FAKE_CHECK(sched_serve_priority(BADGE, 3, 30) == 10);
		FAKE_CHECK(sched.thread[2].lender == 3 && sched.thread[2].key == 255 - 30);
		FAKE_CHECK(sched_serve_priority(BADGE, 4, 12) == 20);
		FAKE_CHECK(sched.thread[2].lender == 3 && !sched.thread[3].lender_next);
		fake_run_for(6000);
		FAKE_CHECK(sched.thread[2].lender == 5 && sched.thread[2].key == 255 - 15);
		FAKE_CHECK(lender_owner(&sched, 4) == 2 && !sched.thread[4].owner);
		FAKE_CHECK(sched_serve_resume_on(BADGE, 7) == LIMPET_OK);
		FAKE_CHECK(sched_serve_resume_on(BADGE, 7) == LIMPET_OK);
		return;
	}
	FAKE_CHECK(sched_serve_suspend_on(BADGE, 7, fake_now, 2, id == 3 ? 8000 : LIMPET_NEVER) ==
		   (id == 3 ? LIMPET_ETIME : LIMPET_OK));
	mark("%u@%lu ", id, fake_now);
}

static void test_first(void **state)
{
	(void)state;
	run(first_thread, 5, (const uint8_t[]){ 0, 255, 5, 10, 20, 15 });
	assert_string_equal(trace, "3@8000 5@11000 4@11000 ");
}

static void test_create(void **state)
{
	(void)state;
	run_with((struct fake_setup){ .spare = 1ul << 3 | 1ul << 4 }, create_thread, 4,
		 (const uint8_t[]){ 0, 255, 5, 5, 5 });
	assert_string_equal(trace, "3:10 4:20 joined@4100 3:40 4:50 3:60 4:70 end ");
}

/* 3000 in 10000: 2 gets no more, independent of its demand, and 3 has the remaining time. */
static void budget_thread(unsigned int id)
{
	struct sched_account_results out;

	if (id == 2)
		FAKE_CHECK(sched_serve_reserve(BADGE, 0, 3000, 10000) == LIMPET_OK);
	fake_run_for(id == 2 ? 10000 : 25000);
	mark("%u@%lu ", id, fake_now);
	FAKE_CHECK(!sched_serve_account(BADGE, 0, &out));
	mark("%lu %lu ", out.ticks, out.overruns);
}

static void test_budget(void **state)
{
	(void)state;
	run(budget_thread, 3, (const uint8_t[]){ 0, 255, 9, 5 });
	assert_string_equal(trace, "2@32000 10000 3 3@36000 25000 0 ");
}

/* A thread that reserves again and again gets no more than its budget: 3000 in 10000. */
static void again_thread(unsigned int id)
{
	for (unsigned int n = 0; id == 2 && n < 5; n++) {
		FAKE_CHECK(sched_serve_reserve(BADGE, 0, 3000 + n % 2, 10000) == LIMPET_OK);
		fake_run_for(2000);
	}
	if (id == 3)
		fake_run_for(25000);
	mark("%u@%lu ", id, fake_now);
}

static void test_again(void **state)
{
	(void)state;
	run(again_thread, 3, (const uint8_t[]){ 0, 255, 9, 5 });
	assert_string_equal(trace, "2@31998 3@36000 ");
}

/* Thread 2 dies with a reservation of which it has used a part. Its share is free at the end of its span. */
static void dead_thread(unsigned int id)
{
	if (id == 2) {
		FAKE_CHECK(sched_serve_reserve(BADGE, 0, 6000, 10000) == LIMPET_OK);
		fake_run_for(1000);
		return;
	}
	FAKE_CHECK(sched_serve_sleep_until(BADGE, 5000) == LIMPET_OK);
	FAKE_CHECK(sched_serve_reserve(BADGE, 0, 6000, 10000) == LIMPET_EQUOTA);
	FAKE_CHECK(sched_serve_sleep_until(BADGE, 11000) == LIMPET_OK);
	FAKE_CHECK(sched_serve_reserve(BADGE, 0, 6000, 10000) == LIMPET_OK);
	mark("%u", sched.thread[2].state == STATE_DEAD);
}

static void test_dead(void **state)
{
	(void)state;
	run(dead_thread, 3, (const uint8_t[]){ 0, 255, 9, 5 });
	assert_string_equal(trace, "1");
}

static bool restarted;

/* Thread 2 is detached and dies with a ceiling's priority. In its second life it has neither. */
static void restart_thread(unsigned int id)
{
	struct sched_join_results out = { 0 };

	if (id == 2 && !restarted) {
		FAKE_CHECK(sched_serve_priority(BADGE, 0, 200) == 5);
		FAKE_CHECK(sched_serve_detach(BADGE, 2) == LIMPET_OK);
	} else if (id == 2) {
		mark("%lu ", 255 - sched.thread[2].key);
		mark("%ld ", sched_serve_priority(BADGE, 0, 0));
		FAKE_CHECK(sched_serve_exit(BADGE, 7) == LIMPET_OK);
	} else {
		FAKE_CHECK(sched_serve_sleep_until(BADGE, 2000) == LIMPET_OK);
		restarted = true;
		fake_restart(2);
		FAKE_CHECK(sched_serve_join(BADGE, 2, LIMPET_NEVER, &out) == LIMPET_OK);
		mark("%lu", out.value);
	}
}

static void test_restart(void **state)
{
	(void)state;
	restarted = false;
	run(restart_thread, 3, (const uint8_t[]){ 0, 255, 5, 9 });
	assert_string_equal(trace, "5 5 7");
}

/*
 * The budget of a thread ends while others wait for its lock. It continues, and its run time is
 * charged to them.
 */
static void lent_budget_thread(unsigned int id)
{
	if (id == 2) {
		FAKE_CHECK(sched_serve_reserve(BADGE, 0, 2000, 20000) == LIMPET_OK);
		take(&a, id);
		fake_run_for(5000);
		drop(&a);
		mark("2@%lu ", fake_now);
	} else {
		FAKE_CHECK(sched_serve_reserve(BADGE, 0, 4000, 20000) == LIMPET_OK);
		sched_serve_sleep_until(BADGE, 2000);
		take(&a, id);
		mark("3@%lu ", fake_now);
		fake_run_for(2000);
		mark("3@%lu ", fake_now);
		drop(&a);
	}
}

static void test_lent_budget(void **state)
{
	(void)state;
	memset(&a, 0, sizeof(a));
	run(lent_budget_thread, 3, (const uint8_t[]){ 0, 255, 9, 12 });
	/* 3 paid for all 3000 of 2's overrun, and waits for its next span */
	assert_string_equal(trace, "2@6000 3@21000 3@23000 ");
}

/* Three threads of equal priority take turns of 1000. A thread of higher priority does not change the turn. */
static void slice_thread(unsigned int id)
{
	if (id == 5)
		for (int i = 1; i < 4; i++) {
			sched_serve_sleep_until(BADGE, 1000 + 700 * (unsigned int)i);
			fake_run_for(10);
		}
	else
		for (int i = 0; i < 3; i++) {
			fake_run_for(750);
			mark("%u@%lu ", id, fake_now);
		}
}

static void test_slice(void **state)
{
	const struct limpet_info_arg arg = { .name = "slice-us", .number = 1000 };

	(void)state;
	run_with((struct fake_setup){ .arg = &arg, .args = 1 }, slice_thread, 5,
		 (const uint8_t[]){ 0, 255, 5, 5, 5, 9 });
	assert_string_equal(trace,
			    "2@1760 3@2770 4@3780 2@4530 3@5530 4@6530 2@7280 3@7530 4@7780 ");
}

/* Two threads of three take turns. The third one, which has no slice, runs until it waits. */
static void slice_call_thread(unsigned int id)
{
	if (id == 2) {
		FAKE_CHECK(sched_serve_slice(BADGE, 0, 999) == LIMPET_ERANGE);
		FAKE_CHECK(sched_serve_slice(BADGE, 0, 1ul << 32) == LIMPET_ERANGE);
		FAKE_CHECK(sched_serve_slice(BADGE, 9, 1000) == LIMPET_ENOENT);
		FAKE_CHECK(sched_serve_slice(BADGE, 3, 1000) == LIMPET_OK);
		FAKE_CHECK(sched_serve_slice(BADGE, 0, 1000) == LIMPET_OK);
	}
	for (int i = 0; i < 3; i++) {
		fake_run_for(750);
		mark("%u@%lu ", id, fake_now);
	}
}

static void test_slice_call(void **state)
{
	(void)state;
	run(slice_call_thread, 4, (const uint8_t[]){ 0, 255, 5, 5, 5 });
	assert_string_equal(trace,
			    "2@1750 3@2750 4@3750 4@4500 4@5250 2@5750 3@6750 2@7500 3@7750 ");
}

/* A thread that wakes up during a turn runs when this turn ends. */
static void slice_sleep_thread(unsigned int id)
{
	if (id == 2)
		fake_run_for(9000);
	if (id == 3) {
		sched_serve_sleep_until(BADGE, 3500);
		mark("3@%lu ", fake_now);
		sched_serve_sleep_until(BADGE, 3800);
		mark("3@%lu ", fake_now);
	}
	if (id == 4) {
		sched_serve_sleep_until(BADGE, 6700);
		mark("4@%lu ", fake_now);
	}
}

static void test_slice_sleep(void **state)
{
	const struct limpet_info_arg arg = { .name = "slice-us", .number = 1000 };

	(void)state;
	run_with((struct fake_setup){ .arg = &arg, .args = 1 }, slice_sleep_thread, 4,
		 (const uint8_t[]){ 0, 255, 5, 5, 5 });
	assert_string_equal(trace, "3@4000 3@5000 4@7000 ");
}

static void cpu_thread(unsigned int id)
{
	(void)id;
	FAKE_CHECK(sched_serve_cpu(BADGE, 0) == 0);
	FAKE_CHECK(sched_serve_cpu(BADGE, 9) == LIMPET_ENOENT);
	FAKE_CHECK(sched_serve_set_cpu(BADGE, 0, 0) == LIMPET_OK);
	FAKE_CHECK(sched_serve_set_cpu(BADGE, 0, 1) == LIMPET_ECPU);
	FAKE_CHECK(sched_serve_set_cpu(BADGE, 9, 0) == LIMPET_ENOENT);
	FAKE_CHECK(sched_serve_alarm(BADGE, 5000) == LIMPET_ESTATE);
	FAKE_CHECK(sched_serve_account(BADGE, 9, &(struct sched_account_results){ 0 }) ==
		   LIMPET_ENOENT);
	mark("done ");
}

static void test_cpu(void **state)
{
	(void)state;
	run(cpu_thread, 2, (const uint8_t[]){ 0, 255, 5 });
	assert_string_equal(trace, "done ");
}

static void cpu_deadline_thread(unsigned int id)
{
	struct sched_deadline_wait_results waited = { 0 };

	(void)id;
	FAKE_CHECK(sched_serve_reserve_deadline(BADGE, 0, 5000, 20000) == LIMPET_ESTATE);
	FAKE_CHECK(sched_serve_deadline_wait(BADGE, &waited) == LIMPET_ESTATE);
	FAKE_CHECK(sched_serve_reserve(BADGE, 0, 5000, 20000) == LIMPET_OK);
	FAKE_CHECK(sched_serve_deadline_wait(BADGE, &waited) == LIMPET_ESTATE);
	mark("done ");
}

/* Fixed priorities have budgets, but no deadlines. */
static void test_no_deadlines(void **state)
{
	(void)state;
	run(cpu_deadline_thread, 2, (const uint8_t[]){ 0, 255, 5 });
	assert_string_equal(trace, "done ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_inversion),   cmocka_unit_test(test_chain),
		cmocka_unit_test(test_best),	    cmocka_unit_test(test_token),
		cmocka_unit_test(test_priority),    cmocka_unit_test(test_objects),
		cmocka_unit_test(test_create),	    cmocka_unit_test(test_budget),
		cmocka_unit_test(test_lent_budget), cmocka_unit_test(test_slice),
		cmocka_unit_test(test_cpu),	    cmocka_unit_test(test_slice_call),
		cmocka_unit_test(test_slice_sleep), cmocka_unit_test(test_no_deadlines),
		cmocka_unit_test(test_release),	    cmocka_unit_test(test_first),
		cmocka_unit_test(test_join_late),   cmocka_unit_test(test_again),
		cmocka_unit_test(test_due),	    cmocka_unit_test(test_dead),
		cmocka_unit_test(test_restart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
