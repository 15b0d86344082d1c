// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tests sched.fixed-priority with locks of a server that threads of one part share with each other, and with a thread
 * outside the part. The nested scheduler runs the thread HIGH of its part before the thread LOW.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <sync/mutex.h>
#include <sync/rwlock.h>

#include <sched/core.h>

#include "sched_calls.h"
#include "trace.h"

enum { LOW = FAKE_NESTED + 1, HIGH, OUTSIDE, BELOW, THREADS = BELOW };

static struct mutex mutex, second;
static struct rwlock rwlock;
static bool ready[THREADS + 1],
	done[THREADS + 1]; /* threads of the part, as the nested scheduler sees them */

/* Dispatches the first ready thread of the part, until both have ended. */
static void nested_thread(void)
{
	while (!done[LOW] || !done[HIGH])
		limpet_call_thread_dispatch(
			LIMPET_SLOT_THREADS + (ready[HIGH] && !done[HIGH] ? HIGH : LOW), 0);
}

/* An event makes HIGH ready while LOW runs, so the nested scheduler preempts LOW. */
static void high_wake(void)
{
	ready[HIGH] = true;
	fake_switch(FAKE_NESTED);
}

static void part_end(unsigned int id)
{
	done[id] = true;
	fake_switch(FAKE_NESTED);
}

static void never(void)
{
}

static void (*preempt)(void) = never;

/* With `reserve` the part has 1,000 of each 10,000 ticks. */
static void run(void (*thread)(unsigned int), bool reserve)
{
	static const uint8_t priority[] = { 0, 255, 9, 1, 1, 20, 5 },
			     component[] = { 0, 1, 3, 4, 4, 2, 2 };
	static const struct limpet_info_arg arg = { .name = "reserve-0", .text = "2 1000 10000" };
	const struct fake_setup setup = { .threads = THREADS,
					  .priority = priority,
					  .component = component,
					  .thread = thread,
					  .preempt = preempt,
					  .points = 1000000,
					  .arg = &arg,
					  .args = reserve,
					  .part = 1 << LOW | 1 << HIGH };

	memset(ready, 0, sizeof(ready));
	memset(done, 0, sizeof(done));
	memset(&mutex, 0, sizeof(mutex));
	memset(&second, 0, sizeof(second));
	memset(&rwlock, 0, sizeof(rwlock));
	run_setup(&setup);
}

/* --- the part's budget */

/*
 * LOW owns the mutex that OUTSIDE waits for, and HIGH loops. The part inherits the priority of OUTSIDE, but not its
 * budget. It runs for at most its own budget in each span, and OUTSIDE runs at its deadline.
 */
static void budget_thread(unsigned int id)
{
	if (id == FAKE_NESTED) {
		nested_thread();
	} else if (id == LOW) {
		high_wake();
		part_end(id);
	} else if (id == HIGH) {
		fake_run_for(5000);
		part_end(id);
	} else if (id == OUTSIDE) {
		FAKE_CHECK(sched_serve_sleep_until(BADGE, 5000) == LIMPET_OK);
		FAKE_CHECK(sched_serve_suspend_on(BADGE, 7, fake_now, LOW, 30000) == LIMPET_ETIME);
		FAKE_CHECK(fake_ran(HIGH) >= 2800 && fake_ran(HIGH) <= 3000);
		done[id] = true;
	}
}

static void test_budget(void **state)
{
	(void)state;
	run(budget_thread, true);
	assert_true(done[HIGH] && done[OUTSIDE]);
}

/* --- locks whose owner is a thread of the same part */

static void lock(struct mutex *which, unsigned int id)
{
	FAKE_CHECK(mutex_lock(which, LIMPET_NEVER) == LIMPET_OK);
	mark("+%u ", id);
}

static void unlock(struct mutex *which, unsigned int id)
{
	mark("-%u ", id);
	FAKE_CHECK(mutex_unlock(which) == LIMPET_OK);
}

/* HIGH runs as soon as LOW has unlocked the mutex. OUTSIDE waits for the mutex in the meantime. */
static void mutex_thread(unsigned int id)
{
	if (id == FAKE_NESTED) {
		nested_thread();
	} else if (id == LOW) {
		lock(&mutex, id);
		high_wake();
		fake_run_for(5000);
		unlock(&mutex, id);
		mark("low ");
		part_end(id);
	} else if (id == HIGH) {
		lock(&mutex, id);
		unlock(&mutex, id);
		mark("high@%lu ", fake_now);
		part_end(id);
	} else if (id == OUTSIDE) {
		FAKE_CHECK(sched_serve_sleep_until(BADGE, 4000) == LIMPET_OK);
		lock(&mutex, id);
		unlock(&mutex, id);
	}
}

static void test_mutex(void **state)
{
	(void)state;
	run(mutex_thread, false);
	assert_string_equal(trace, "+3 -3 +5 -5 +4 -4 high@6000 low ");
}

/* HIGH writes while LOW reads, then reads while LOW writes. */
static void rwlock_thread(unsigned int id)
{
	if (id == FAKE_NESTED) {
		nested_thread();
	} else if (id == LOW) {
		FAKE_CHECK(rwlock_read(&rwlock, LIMPET_NEVER) == LIMPET_OK);
		high_wake();
		mark("read ");
		FAKE_CHECK(rwlock_read_end(&rwlock) == LIMPET_OK);
		FAKE_CHECK(rwlock_write(&rwlock, LIMPET_NEVER) == LIMPET_OK);
		high_wake();
		mark("write ");
		FAKE_CHECK(rwlock_write_end(&rwlock) == LIMPET_OK);
		mark("low ");
		part_end(id);
	} else if (id == HIGH) {
		FAKE_CHECK(rwlock_write(&rwlock, LIMPET_NEVER) == LIMPET_OK);
		mark("high-writes ");
		FAKE_CHECK(rwlock_write_end(&rwlock) == LIMPET_OK);
		ready[HIGH] = false;
		fake_switch(FAKE_NESTED);
		FAKE_CHECK(rwlock_read(&rwlock, LIMPET_NEVER) == LIMPET_OK);
		mark("high-reads ");
		FAKE_CHECK(rwlock_read_end(&rwlock) == LIMPET_OK);
		part_end(id);
	}
}

static void test_rwlock(void **state)
{
	(void)state;
	run(rwlock_thread, false);
	assert_string_equal(trace, "read high-writes write high-reads low ");
}

/* The deadline of HIGH passes while LOW runs with the mutex. */
static void deadline_thread(unsigned int id)
{
	if (id == FAKE_NESTED) {
		nested_thread();
	} else if (id == LOW) {
		lock(&mutex, id);
		high_wake();
		fake_run_for(20000);
		unlock(&mutex, id);
		part_end(id);
	} else if (id == HIGH) {
		FAKE_CHECK(mutex_lock(&mutex, 4321) == LIMPET_ETIME);
		mark("%lu ", fake_now);
		part_end(id);
	}
}

static void test_deadline(void **state)
{
	(void)state;
	run(deadline_thread, false);
	assert_string_equal(trace, "+3 4321 -3 ");
}

/* LOW and HIGH wait for each other, or LOW is dead. The part then leaves the CPU to BELOW, until HIGH stops waiting. */
static bool dies;

static void stuck_thread(unsigned int id)
{
	if (id == FAKE_NESTED) {
		nested_thread();
	} else if (id == LOW) {
		lock(&mutex, id);
		high_wake();
		done[id] = dies;
		if (dies)
			return;
		lock(&second, id);
		part_end(id);
	} else if (id == HIGH) {
		lock(&second, id);
		FAKE_CHECK(mutex_lock(&mutex, 50000) == LIMPET_ETIME);
		mark("%lu ", fake_now);
		unlock(&second, id);
		part_end(id);
	} else if (id == BELOW) {
		fake_run_for(20000);
		mark("below ");
	}
}

static void test_stuck(void **state)
{
	(void)state;
	dies = false;
	run(stuck_thread, false);
	assert_string_equal(trace, "+3 +4 below 50000 -4 +3 ");
	dies = true;
	run(stuck_thread, false);
	assert_string_equal(trace, "+3 +4 below 50000 -4 ");
}

/* --- preemption of the part's threads at each access */

#define ROUNDS 3

static unsigned int holder, turn;
static uint64_t at, count;
static bool writes; /* the lock is the read-write lock */

/* Time passes, because a thread that checks a lock at the time of its last release checks again. */
static void preempt_once(void)
{
	fake_time_pass(1);
	if ((fake_current() != LOW && fake_current() != HIGH) || ++count != at)
		return;
	turn++;
	fake_switch(FAKE_NESTED);
}

static void take(void)
{
	if (writes)
		FAKE_CHECK(rwlock_write(&rwlock, LIMPET_NEVER) == LIMPET_OK);
	else
		FAKE_CHECK(mutex_lock(&mutex, LIMPET_NEVER) == LIMPET_OK);
}

static void drop(void)
{
	if (writes)
		FAKE_CHECK(rwlock_write_end(&rwlock) == LIMPET_OK);
	else
		FAKE_CHECK(mutex_unlock(&mutex) == LIMPET_OK);
}

/* Lets the nested scheduler run another thread, and OUTSIDE run, in the critical section. */
static void every_thread(unsigned int id)
{
	if (id == FAKE_NESTED)
		while (!done[LOW] || !done[HIGH])
			limpet_call_thread_dispatch(
				LIMPET_SLOT_THREADS +
					(done[LOW] || (turn % 2 && !done[HIGH]) ? HIGH : LOW),
				0);
	if (id == FAKE_NESTED || id == BELOW)
		return;
	for (int i = 0; i < ROUNDS; i++) {
		if (id == OUTSIDE)
			FAKE_CHECK(sched_serve_sleep_until(BADGE, fake_now + 300) == LIMPET_OK);
		take();
		FAKE_CHECK(!holder);
		holder = id;
		if (id != OUTSIDE) {
			turn++;
			fake_run_for(200);
			fake_switch(FAKE_NESTED);
		}
		FAKE_CHECK(holder == id);
		holder = 0;
		drop();
	}
	done[id] = true;
	if (id != OUTSIDE)
		fake_switch(FAKE_NESTED);
}

static void test_every(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		writes = i;
		for (at = 1; at == 1 || count >= at - 1; at++) {
			count = holder = turn = 0;
			preempt = preempt_once;
			run(every_thread, false);
			assert_true(done[LOW] && done[HIGH] && done[OUTSIDE]);
		}
		assert_in_range(at, 100, 10000);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_budget), cmocka_unit_test(test_mutex),
		cmocka_unit_test(test_rwlock), cmocka_unit_test(test_deadline),
		cmocka_unit_test(test_stuck),  cmocka_unit_test(test_every),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
