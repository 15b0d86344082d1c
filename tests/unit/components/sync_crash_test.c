// SPDX-License-Identifier: BSD-2-Clause
/* Tests lib/sync after a crash of the scheduler. Functions that need the scheduler fail, and change nothing. */
#include <sync/barrier.h>
#include <sync/condition.h>
#include <sync/flags.h>
#include <sync/mutex.h>
#include <sync/rwlock.h>
#include <sync/semaphore.h>

#include "sync_run.h"

static QUIET void crash_mutex(void)
{
	struct mutex m = { .owner = 3 }, high = { .ceiling = 5 };

	MODEL_CHECK(mutex_lock(&m, LIMPET_NEVER) == LIMPET_ECRASH && m.owner == 3 && !m.waiters);
	MODEL_CHECK(mutex_lock(&high, 0) == LIMPET_ECRASH && mutex_try(&high) == LIMPET_ECRASH);
	high = (struct mutex){ .ceiling = 5, .owner = mutex_self(), .before = 1 };
	MODEL_CHECK(mutex_unlock(&high) == LIMPET_ECRASH && !high.owner);
}

static QUIET void crash_condition(void)
{
	struct mutex m = { .waiters = 4 };
	struct condition c = { .waiters = 4 };

	MODEL_CHECK(mutex_lock(&m, 0) == LIMPET_OK);
	MODEL_CHECK(condition_signal(&c, &m) == LIMPET_ECRASH && c.waiters == 4);
	MODEL_CHECK(condition_broadcast(&c, &m) == LIMPET_ECRASH);
	MODEL_CHECK(condition_wait(&c, &m, LIMPET_NEVER) == LIMPET_ECRASH && mutex_mine(&m));
	MODEL_CHECK(mutex_unlock(&m) == LIMPET_ECRASH && !m.owner);
}

static QUIET void crash_semaphore(void)
{
	struct semaphore none = { .waiters = 4 };

	MODEL_CHECK(semaphore_down(&none, LIMPET_NEVER) == LIMPET_ECRASH && none.waiters == 4);
	MODEL_CHECK(semaphore_up(&none) == LIMPET_ECRASH && none.value == 1);
}

static QUIET void crash_rwlock(void)
{
	struct rwlock l = { .readers = { 4 }, .used = 1 };

	MODEL_CHECK(rwlock_write(&l, LIMPET_NEVER) == LIMPET_ECRASH && !l.writer);
	l.writer = 3;
	MODEL_CHECK(rwlock_read(&l, LIMPET_NEVER) == LIMPET_ECRASH && l.readers[0] == 4);
	MODEL_CHECK(rwlock_write(&l, LIMPET_NEVER) == LIMPET_ECRASH && l.writer == 3);
}

static QUIET void crash_barrier(void)
{
	struct barrier b = { .total = 2 };

	MODEL_CHECK(barrier_wait(&b, LIMPET_NEVER) == LIMPET_ECRASH && !b.state && !b.waiters);
	b = (struct barrier){ .total = 1, .waiters = 4 };
	MODEL_CHECK(barrier_wait(&b, LIMPET_NEVER) == LIMPET_ECRASH);
}

static QUIET void crash_flags(void)
{
	struct flags f = { .waiters = 4 };
	uint64_t got;

	MODEL_CHECK(flags_set(&f, 1) == LIMPET_ECRASH && f.set == 1);
	MODEL_CHECK(flags_wait(&f, 2, FLAGS_ANY, &got, LIMPET_NEVER) == LIMPET_ECRASH);
}

/* Tests all functions in one run, because the model's scheduler refuses calls until the end of the run. */
static QUIET void crash_thread(unsigned int id)
{
	(void)id;
	model_refusal = LIMPET_ECRASH;
	crash_mutex();
	crash_condition();
	crash_semaphore();
	crash_rwlock();
	crash_barrier();
	crash_flags();
}

static void test_crash(void **state)
{
	(void)state;
	sync_run_alone(crash_thread);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_crash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
