// SPDX-License-Identifier: BSD-2-Clause
/* lib/runtime/lock.c with the real scheduler: exclusion, and no wake-up of others lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include <runtime/lock.h>

#include <export/sched.h>
#include <import/sched.h>

#include "fake.h"

#define THREADS 5
#define ROUNDS 200

static struct lock lock;
static unsigned int holder, done;
static uint32_t seed, often;

long sched_suspend(void)
{
	return sched_serve_suspend(BADGE);
}

long sched_resume(word thread)
{
	return sched_serve_resume(BADGE, thread);
}

static uint32_t random_below(uint32_t limit)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed % limit;
}

static void preempt(void)
{
	if (!random_below(often))
		fake_time_pass(1 + random_below(300));
}

static void critical(unsigned int id)
{
	lock_take(&lock);
	FAKE_CHECK(!holder);
	holder = id;
	if (!random_below(4))
		sched_serve_sleep_until(BADGE, fake_now + random_below(100));
	FAKE_CHECK(holder == id);
	holder = 0;
	lock_drop(&lock);
}

/* Pairs wake each other beside it: 2 and 3, 4 and 5. */
static void lock_thread(unsigned int id)
{
	for (int i = 0; i < ROUNDS; i++) {
		critical(id);
		FAKE_CHECK(sched_serve_wake(BADGE, id ^ 1) == LIMPET_OK);
		critical(id);
		FAKE_CHECK(sched_serve_block(BADGE) == LIMPET_OK);
	}
	FAKE_CHECK(sched_serve_wake(BADGE, id ^ 1) == LIMPET_OK); /* two that came as one */
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
		done = holder = 0;
		memset(&lock, 0, sizeof(lock));
		fake_run(&setup);
		if (!fake_failure && done != THREADS - 1)
			fake_failure = "a thread waits for ever";
		if (fake_failure)
			fail_msg("%s, seed %u", fake_failure, 11 + i);
		assert_int_equal(lock.owner, 0);
		assert_int_equal(lock.waiters, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_lock) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
