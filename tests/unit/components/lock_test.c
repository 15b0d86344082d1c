// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tests mutexes with the real scheduler: exclusion, no lost wake-ups, and bounded priority inversion. A thread waits
 * for threads of lower priority only while they hold what it needs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include <sync/condition.h>
#include <sync/mutex.h>
#include <sync/rwlock.h>

#include "chance.h"
#include "fake.h"
#include "sched_calls.h"

#define THREADS 5
#define ROUNDS 200

static struct mutex mutex, second;
static struct rwlock rwlock;
static unsigned int holder, done;
static uint32_t often;

static void preempt(void)
{
	if (!random_below(often))
		fake_time_pass(1 + random_below(300));
}

static void begin(void)
{
	memset(&mutex, 0, sizeof(mutex));
	memset(&second, 0, sizeof(second));
	memset(&rwlock, 0, sizeof(rwlock));
	done = holder = 0;
}

/* Some threads time out. */
static void critical(unsigned int id)
{
	uint64_t deadline = random_below(4) ? LIMPET_NEVER : fake_now + random_below(200);

	while (mutex_lock(&mutex, deadline) == LIMPET_ETIME)
		deadline = LIMPET_NEVER;
	FAKE_CHECK(!holder);
	holder = id;
	if (!random_below(4))
		sched_serve_sleep_until(BADGE, fake_now + random_below(100));
	FAKE_CHECK(holder == id);
	holder = 0;
	FAKE_CHECK(mutex_unlock(&mutex) == LIMPET_OK);
}

/* Pairs of threads wake each other at the same time: 2 and 3, 4 and 5. */
static void lock_thread(unsigned int id)
{
	for (int i = 0; i < ROUNDS; i++) {
		critical(id);
		FAKE_CHECK(sched_serve_wake(BADGE, id ^ 1) == LIMPET_OK);
		critical(id);
		FAKE_CHECK(sched_serve_block(BADGE) == LIMPET_OK);
	}
	FAKE_CHECK(sched_serve_wake(BADGE, id ^ 1) == LIMPET_OK); /* two were merged into one */
	done++;
}

static void test_lock(void **state)
{
	static const uint8_t priority[][THREADS + 1] = { { 0, 255, 9, 5, 7, 7 },
							 { 0, 255, 5, 5, 5, 5 },
							 { 0, 255, 5, 6, 7, 8 } };

	(void)state;
	for (unsigned int i = 0; i < 150; i++) {
		const struct fake_setup setup = { .threads = THREADS,
						  .priority = priority[i % 3],
						  .thread = lock_thread,
						  .preempt = preempt,
						  .points = 10000000 };

		seed = 11 + i;
		often = 2 + i % 30;
		begin();
		fake_run(&setup);
		if (!fake_failure && done != THREADS - 1)
			fake_failure = "a thread waits for ever";
		if (fake_failure)
			fail_msg("%s, seed %u", fake_failure, 11 + i);
		assert_int_equal(mutex.owner, 0);
		assert_int_equal(mutex.waiters, 0);
	}
}

/* Advances the clock of the inversion tests. The thread computes for a time, and can be preempted. */
static void compute(uint64_t ticks)
{
	while (ticks--)
		fake_time_pass(1);
}

static void run(void (*thread)(unsigned int), const uint8_t *priority, unsigned int threads)
{
	const struct fake_setup setup = {
		.threads = threads, .priority = priority, .thread = thread, .points = UINT64_MAX
	};

	begin();
	fake_run(&setup);
	if (fake_failure)
		fail_msg("%s", fake_failure);
	assert_int_equal(done, threads - 1);
}

#define BEGIN 1000ul /* start of the clock */
#define HELD 500
#define MIDDLE 100000

/* Thread 2 has the lowest priority and the mutex, 3 computes for long, and 4 needs the mutex. */
static void classic_thread(unsigned int id)
{
	uint64_t asked;

	if (id == 2) {
		FAKE_CHECK(!mutex_lock(&mutex, LIMPET_NEVER));
		compute(HELD);
		FAKE_CHECK(!mutex_unlock(&mutex));
	} else if (id == 3) {
		sched_serve_sleep_until(BADGE, BEGIN + 200);
		compute(MIDDLE);
		FAKE_CHECK(holder == 4); /* it did not run before 4 */
	} else {
		sched_serve_sleep_until(BADGE, BEGIN + 100);
		asked = fake_now;
		FAKE_CHECK(!mutex_lock(&mutex, LIMPET_NEVER));
		FAKE_CHECK(fake_now - asked <= HELD);
		holder = id;
		FAKE_CHECK(!mutex_unlock(&mutex));
	}
	done++;
}

static void test_inversion(void **state)
{
	(void)state;
	run(classic_thread, (const uint8_t[]){ 0, 255, 5, 10, 20 }, 4);
}

/* 5 waits for 3, which waits for 2; 4 computes. */
static void nested_thread(unsigned int id)
{
	uint64_t asked;

	switch (id) {
	case 2:
		FAKE_CHECK(!mutex_lock(&mutex, LIMPET_NEVER));
		compute(HELD);
		FAKE_CHECK(!mutex_unlock(&mutex));
		break;
	case 3:
		sched_serve_sleep_until(BADGE, BEGIN + 50);
		FAKE_CHECK(!mutex_lock(&second, LIMPET_NEVER));
		compute(10);
		FAKE_CHECK(!mutex_lock(&mutex, LIMPET_NEVER));
		compute(HELD);
		FAKE_CHECK(!mutex_unlock(&mutex));
		compute(HELD);
		FAKE_CHECK(!mutex_unlock(&second));
		break;
	case 4:
		sched_serve_sleep_until(BADGE, BEGIN + 200);
		compute(MIDDLE);
		FAKE_CHECK(holder == 5);
		break;
	default:
		sched_serve_sleep_until(BADGE, BEGIN + 100);
		asked = fake_now;
		FAKE_CHECK(!mutex_lock(&second, LIMPET_NEVER));
		FAKE_CHECK(fake_now - asked <= 3 * HELD);
		holder = id;
		FAKE_CHECK(!mutex_unlock(&second));
	}
	done++;
}

static void test_inversion_nested(void **state)
{
	(void)state;
	run(nested_thread, (const uint8_t[]){ 0, 255, 5, 8, 10, 20 }, 5);
}

/* 2 and 3 read, 4 computes, 5 writes: it waits for one reader after the other. */
static void readers_thread(unsigned int id)
{
	uint64_t asked;

	if (id < 4) {
		sched_serve_sleep_until(BADGE, BEGIN + (id == 3) * 50);
		FAKE_CHECK(!rwlock_read(&rwlock, LIMPET_NEVER));
		compute(HELD);
		FAKE_CHECK(!rwlock_read_end(&rwlock));
	} else if (id == 4) {
		sched_serve_sleep_until(BADGE, BEGIN + 200);
		compute(MIDDLE);
		FAKE_CHECK(holder == 5);
	} else {
		sched_serve_sleep_until(BADGE, BEGIN + 100);
		asked = fake_now;
		FAKE_CHECK(!rwlock_write(&rwlock, LIMPET_NEVER));
		FAKE_CHECK(fake_now - asked <= 2 * HELD);
		holder = id;
		FAKE_CHECK(!rwlock_write_end(&rwlock));
	}
	done++;
}

static void test_inversion_readers(void **state)
{
	(void)state;
	run(readers_thread, (const uint8_t[]){ 0, 255, 5, 8, 10, 20 }, 5);
}

/* With a ceiling, 4 does not preempt 2 while 2 has the mutex, even without a waiter. */
static void ceiling_thread(unsigned int id)
{
	if (id == 2) {
		mutex.ceiling = 20;
		FAKE_CHECK(!mutex_lock(&mutex, LIMPET_NEVER));
		holder = id;
		compute(HELD);
		FAKE_CHECK(holder == id);
		FAKE_CHECK(!mutex_unlock(&mutex));
		FAKE_CHECK(holder == 3 && sched_priority(0, 0) == 5); /* 4, then 3 */
	} else {
		sched_serve_sleep_until(BADGE, BEGIN + 100 * id);
		FAKE_CHECK(id == 3 || fake_now >= BEGIN + HELD);
		FAKE_CHECK(!mutex_lock(&mutex, LIMPET_NEVER));
		holder = id;
		FAKE_CHECK(!mutex_unlock(&mutex));
	}
	done++;
}

static void test_ceiling(void **state)
{
	(void)state;
	run(ceiling_thread, (const uint8_t[]){ 0, 255, 5, 10, 20 }, 4);
}

static struct condition condition;
static bool there, received;

/*
 * Thread 2 waits for an item. Thread 3 produces it and signals, but 2 cannot run yet. Threads 4 and 5 begin to wait for
 * something else, and 3 signals again. One of them receives this signal. 2 receives the first one.
 */
static void newcomers_thread(unsigned int id)
{
	long status;

	if (id > 3)
		FAKE_CHECK(sched_serve_block(BADGE) == LIMPET_OK);
	if (id == 3)
		FAKE_CHECK(sched_serve_sleep_until(BADGE, BEGIN + 5000) == LIMPET_OK);
	FAKE_CHECK(!mutex_lock(&mutex, LIMPET_NEVER));
	while (id == 2 && !there)
		FAKE_CHECK(!condition_wait(&condition, &mutex, LIMPET_NEVER));
	if (id == 2)
		FAKE_CHECK(fake_now < BEGIN + 100000);
	if (id == 3) {
		there = true;
		FAKE_CHECK(!condition_signal(&condition, &mutex));
		FAKE_CHECK(!mutex_unlock(&mutex));
		FAKE_CHECK(!sched_serve_wake(BADGE, 4) && !sched_serve_wake(BADGE, 5));
		FAKE_CHECK(!mutex_lock(&mutex, LIMPET_NEVER));
		FAKE_CHECK(!condition_signal(&condition, &mutex));
	}
	if (id > 3) {
		status = condition_wait(&condition, &mutex, BEGIN + 100000);
		FAKE_CHECK(status == (received ? LIMPET_ETIME : LIMPET_OK));
		received = true;
	}
	FAKE_CHECK(!mutex_unlock(&mutex));
	done++;
}

/* Time passes, because a thread that checks at the time of the last signal checks again. */
static void pass(void)
{
	fake_time_pass(1);
}

static void test_newcomers(void **state)
{
	const struct fake_setup setup = { .threads = 5,
					  .priority = (const uint8_t[]){ 0, 255, 5, 10, 20, 30 },
					  .thread = newcomers_thread,
					  .preempt = pass,
					  .points = 1000000 };

	(void)state;
	begin();
	memset(&condition, 0, sizeof(condition));
	there = received = false;
	fake_run(&setup);
	if (fake_failure)
		fail_msg("%s", fake_failure);
	assert_int_equal(done, 4);
	assert_true(!condition.waiters && !condition.signals);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lock),
		cmocka_unit_test(test_inversion),
		cmocka_unit_test(test_inversion_nested),
		cmocka_unit_test(test_inversion_readers),
		cmocka_unit_test(test_ceiling),
		cmocka_unit_test(test_newcomers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
