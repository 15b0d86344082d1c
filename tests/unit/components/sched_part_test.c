// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tests sched.fixed-priority with a nested scheduler that takes the CPU from its thread while this thread calls it,
 * at each memory access. The nested scheduler then waits, computes or ends. The calling thread must finish before the
 * scheduler or another thread uses the data.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include <export/sched.h>

#include <sched/core.h>

#include "fake.h"

#define CALLER 3 /* the thread of the part */
#define OTHER 4	 /* has a higher priority than the part */
#define EQUAL 5	 /* has that of the part */
#define SECOND 6 /* of the part, in some tests */
#define NESTED 3 /* index of the nested scheduler's component */
#define DUE 5000
#define FINISH 200 /* limit of the time in which the calling thread finishes, ticks */

enum what { THEN_WAIT, THEN_END, THEN_COMPUTE };

static enum what what;
static uint64_t at, count; /* the access after which the nested scheduler runs; accesses so far */
static bool in_call, taken, timer, done;
static unsigned int runs;

/* At the chosen access, lets the nested scheduler take the CPU, with `timer` while this scheduler waits for the thread. */
static void preempt(void)
{
	if (fake_current() != CALLER || !in_call || ++count != at)
		return;
	if (timer && fake_now < DUE) {
		count--;
		fake_time_pass(DUE - fake_now);
		return;
	}
	taken = true;
	fake_switch(FAKE_NESTED);
}

static void nested_thread(void)
{
	struct limpet_out out;

	while (!done) {
		limpet_call_thread_dispatch(LIMPET_SLOT_THREADS + CALLER, 0);
		if (!taken)
			continue;
		taken = false;
		if (what == THEN_WAIT)
			limpet_call_endpoint_receive(LIMPET_SLOT_ENDPOINT, 0, 0, &out);
		else if (what == THEN_COMPUTE)
			fake_run_for(20000);
		else
			return;
	}
}

static void check(void)
{
	fake_hold(true);
	FAKE_CHECK(!sched.data_lock && !sched.late && !sched.contended);
	FAKE_CHECK(policy_top(&sched) == fake_current());
	FAKE_CHECK(what == THEN_END || done || sched.thread[FAKE_NESTED].state != STATE_DEAD);
	runs++;
	fake_hold(false);
}

/* Wakes a thread of the part's priority, and waits for a time. The whole part waits. */
static void calling_thread(void)
{
	fake_run_for(1000);
	in_call = true;
	FAKE_CHECK(sched_serve_wake(BADGE, EQUAL) == LIMPET_OK);
	FAKE_CHECK(sched_serve_sleep_until(BADGE, 40000) == LIMPET_OK);
	in_call = false;
	done = true;
}

static void thread_run(unsigned int id)
{
	if (id == FAKE_NESTED) {
		nested_thread();
	} else if (id == CALLER) {
		calling_thread();
	} else if (id == EQUAL) {
		FAKE_CHECK(sched_serve_block(BADGE) == LIMPET_OK);
		check();
	} else {
		FAKE_CHECK(sched_serve_sleep_until(BADGE, DUE) == LIMPET_OK);
		FAKE_CHECK(fake_now < DUE + FINISH);
		check();
		FAKE_CHECK(sched_serve_sleep_until(BADGE, 50000) == LIMPET_OK);
		check();
		fake_event(FAKE_NESTED); /* if it still waits */
		FAKE_CHECK(sched_serve_sleep_until(BADGE, 60000) == LIMPET_OK);
		check();
	}
}

static void run_threads(uint64_t access, const struct fake_setup *threads)
{
	static const uint8_t priority[] = { 0, 255, 9, 1, 20, 9, 1 },
			     component[] = { 0, 1, NESTED, 4, 2, 2, 4 };
	struct fake_setup setup = *threads;

	setup.priority = priority;
	setup.component = component;
	setup.points = 1000000;
	at = access;
	count = runs = 0;
	fake_run(&setup);
	if (fake_failure)
		fail_msg("access %lu: %s", access, fake_failure);
}

/* Returns whether the thread made that many accesses. */
static bool run(uint64_t access)
{
	in_call = taken = done = false;
	run_threads(access, &(struct fake_setup){ .threads = EQUAL,
						  .thread = thread_run,
						  .preempt = preempt,
						  .part = 1 << CALLER });
	assert_in_range(runs, what == THEN_END ? 3 : 4,
			4); /* without the wake-up, if that had not begun */
	assert_true(done || what == THEN_END);
	return count >= at;
}

static void run_all(enum what with, bool due)
{
	uint64_t access = 1;

	what = with;
	timer = due;
	while (run(access))
		access++;
	assert_in_range(access, 20, 1000);
}

static void test_waits(void **state)
{
	(void)state;
	run_all(THEN_WAIT, false);
	run_all(THEN_WAIT, true);
}

static void test_ends(void **state)
{
	(void)state;
	run_all(THEN_END, false);
	run_all(THEN_END, true);
}

static void test_computes(void **state)
{
	(void)state;
	run_all(THEN_COMPUTE, false);
	run_all(THEN_COMPUTE, true);
}

/* --- two threads of the part: the nested scheduler continues the first one while the second one calls */

static bool first_done;
static bool held; /* the second one had the lock when it was preempted */

static void preempt_second(void)
{
	if (fake_current() != SECOND || ++count != at)
		return;
	held = sched.data_lock == SECOND;
	fake_switch(FAKE_NESTED);
}

static void nested_two(void)
{
	for (unsigned int i = 0; !done || !first_done; i++)
		limpet_call_thread_dispatch(LIMPET_SLOT_THREADS + (i % 2 ? SECOND : CALLER), 0);
}

/* Its wake-up switches to the other thread. The nested scheduler continues it. */
static void first_thread(void)
{
	FAKE_CHECK(sched_serve_wake(BADGE, OTHER) == LIMPET_OK);
	fake_hold(true);
	FAKE_CHECK(!held || sched.data_lock == SECOND);
	fake_hold(false);
	FAKE_CHECK(sched_serve_wake(BADGE, EQUAL) == LIMPET_OK);
	first_done = true;
}

static void second_thread(void)
{
	FAKE_CHECK(sched_serve_wake(BADGE, EQUAL) == LIMPET_OK);
	done = true;
}

static void thread_of_two(unsigned int id)
{
	if (id == FAKE_NESTED) {
		nested_two();
	} else if (id == CALLER) {
		first_thread();
	} else if (id == SECOND) {
		second_thread();
	} else {
		FAKE_CHECK(sched_serve_block(BADGE) == LIMPET_OK);
		runs++;
	}
}

static bool run_two(uint64_t access)
{
	held = done = first_done = false;
	run_threads(access, &(struct fake_setup){ .threads = SECOND,
						  .thread = thread_of_two,
						  .preempt = preempt_second,
						  .part = 1 << CALLER | 1 << SECOND });
	assert_true(done && first_done);
	assert_int_equal(runs, 2);
	return count >= at;
}

static void test_two(void **state)
{
	uint64_t access = 1;

	(void)state;
	while (run_two(access))
		access++;
	assert_in_range(access, 20, 1000);
}

/* --- the nested scheduler, and another thread of the part, call while a thread of the part begins to wait */

static bool with_second; /* a second thread calls after the nested scheduler */
static unsigned int calls;

static void nested_calls(void)
{
	while (!done) {
		limpet_call_thread_dispatch(LIMPET_SLOT_THREADS + CALLER, 0);
		if (!taken)
			continue;
		taken = false;
		if (with_second)
			limpet_call_thread_dispatch(LIMPET_SLOT_THREADS + SECOND, 0);
		FAKE_CHECK(sched_serve_alarm(BADGE_OF(NESTED), 50000) == LIMPET_OK);
		FAKE_CHECK(timers_pending(&sched.timers, TIMER_ALARM(FAKE_NESTED)));
		calls++;
	}
	while (calls == 1 && with_second)
		limpet_call_thread_dispatch(LIMPET_SLOT_THREADS + SECOND, 0);
}

/* Calls once, and lets the nested scheduler continue. */
static void second_calls(void)
{
	FAKE_CHECK(sched_serve_wake(BADGE, OTHER) == LIMPET_OK);
	calls++;
	fake_switch(FAKE_NESTED);
}

static void thread_of_calls(unsigned int id)
{
	if (id == FAKE_NESTED) {
		nested_calls();
	} else if (id == SECOND) {
		second_calls();
	} else if (id == CALLER) {
		in_call = true;
		FAKE_CHECK(sched_serve_sleep_until(BADGE, DUE) == LIMPET_OK);
		FAKE_CHECK(fake_now >= DUE);
		in_call = false;
		done = true;
	} else {
		FAKE_CHECK(sched_serve_sleep_until(BADGE, 60000) == LIMPET_OK);
	}
}

static bool run_calls(uint64_t access)
{
	in_call = taken = done = false;
	what = THEN_WAIT;
	timer = false;
	calls = 0;
	run_threads(access, &(struct fake_setup){ .threads = SECOND,
						  .thread = thread_of_calls,
						  .preempt = preempt,
						  .part = 1 << CALLER | 1 << SECOND });
	assert_true(done);
	assert_int_equal(calls, count < at ? 0 : 1 + with_second);
	return count >= at;
}

static void test_calls(void **state)
{
	uint64_t access;

	(void)state;
	for (int i = 0; i < 2; i++) {
		with_second = i;
		for (access = 1; run_calls(access);)
			access++;
		assert_in_range(access, 20, 1000);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_waits),
					    cmocka_unit_test(test_ends),
					    cmocka_unit_test(test_computes),
					    cmocka_unit_test(test_two),
					    cmocka_unit_test(test_calls) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
