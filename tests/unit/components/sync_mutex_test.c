// SPDX-License-Identifier: BSD-2-Clause
/* Tests mutexes in all orders of memory accesses, and the refusals of each function. */
#include <import/sched.h>
#include <sync/mutex.h>

#include "sync_run.h"

/* State shared by the threads of a run. */
static struct {
	struct mutex mutex, second;
} shared;

static QUIET void begin(void)
{
	memset(&shared, 0, sizeof(shared));
	sync_begin();
}

/*
 * Each waiter lends its priority to the owner, or to a thread that is still in a function of lib/sync. That thread then
 * lends it on or returns it.
 */
static QUIET void mutex_watch(void)
{
	unsigned int owner = shared.mutex.owner & MUTEX_OWNER;

	for (unsigned int id = 1; owner && id <= MODEL_THREADS; id++)
		if (model_waits(id, &shared.mutex.waiters))
			MODEL_CHECK(model_lends(id, owner - 1, run_state.looking));
}

static QUIET void mutex_end(void)
{
	MODEL_CHECK(!shared.mutex.owner && !shared.mutex.waiters);
	MODEL_CHECK(!shared.second.owner && !shared.second.waiters);
}

static QUIET void mutex_thread(unsigned int id)
{
	for (int i = 0; i < 2; i++) {
		MODEL_CHECK(SYNC_CALL(mutex_lock(&shared.mutex, LIMPET_NEVER)) == LIMPET_OK);
		sync_critical(id);
		MODEL_CHECK(SYNC_CALL(mutex_unlock(&shared.mutex)) == LIMPET_OK);
	}
}

static void test_mutex(void **state)
{
	static const struct model two = { 2, 3, NULL, begin, mutex_thread, mutex_watch, mutex_end };
	static const uint8_t priority[] = { 0, 1, 2, 3 };
	static const struct model three = { 3,		 2,	   priority, begin, mutex_thread,
					    mutex_watch, mutex_end };

	(void)state;
	sync_run(&two);
	sync_run(&three);
}

/* One of the threads may time out. The others must not wait forever because of that. */
static QUIET void mutex_timed_thread(unsigned int id)
{
	long status = SYNC_CALL(mutex_lock(&shared.mutex, id == 2 ? SOON : LIMPET_NEVER));

	if (id == 2 && status == LIMPET_ETIME)
		return;
	MODEL_CHECK(status == LIMPET_OK);
	sync_critical(id);
	MODEL_CHECK(SYNC_CALL(mutex_unlock(&shared.mutex)) == LIMPET_OK);
}

static void test_mutex_timed(void **state)
{
	static const uint8_t priority[] = { 0, 1, 3, 2 };
	static const struct model model = {
		3, 2, priority, begin, mutex_timed_thread, mutex_watch, mutex_end
	};

	(void)state;
	sync_run(&model);
}

/* Thread 1 holds the second mutex and waits for the first. Thread 2 holds the first. Thread 3 waits for the second. */
static QUIET void nested_thread(unsigned int id)
{
	if (id != 2)
		MODEL_CHECK(SYNC_CALL(mutex_lock(&shared.second, LIMPET_NEVER)) == LIMPET_OK);
	if (id != 3) {
		MODEL_CHECK(SYNC_CALL(mutex_lock(&shared.mutex, LIMPET_NEVER)) == LIMPET_OK);
		sync_critical(id);
		MODEL_CHECK(SYNC_CALL(mutex_unlock(&shared.mutex)) == LIMPET_OK);
	}
	if (id != 2)
		MODEL_CHECK(SYNC_CALL(mutex_unlock(&shared.second)) == LIMPET_OK);
}

static QUIET void nested_watch(void)
{
	unsigned int owner = shared.second.owner & MUTEX_OWNER;

	mutex_watch();
	if (owner && model_waits(3, &shared.second.waiters))
		MODEL_CHECK(model_lends(3, owner - 1, run_state.looking));
}

static void test_mutex_nested(void **state)
{
	static const uint8_t priority[] = { 0, 1, 2, 3 };
	static const struct model model = {
		3, 2, priority, begin, nested_thread, nested_watch, mutex_end
	};

	(void)state;
	sync_run(&model);
}

/* A recursive mutex with a ceiling, with lock and try. */
static QUIET void ceiling_begin(void)
{
	begin();
	shared.mutex.recursive = true;
	shared.mutex.ceiling = 9;
}

static QUIET void ceiling_thread(unsigned int id)
{
	bool timed = id == 3;

	if (id == 2) {
		long status = SYNC_CALL(mutex_try(&shared.mutex));

		MODEL_CHECK(status == LIMPET_OK || status == LIMPET_EBUSY);
		if (status)
			return;
	} else if (SYNC_CALL(mutex_lock(&shared.mutex, timed ? SOON : LIMPET_NEVER))) {
		MODEL_CHECK(timed && model_priority(id) == id);
		return;
	}
	MODEL_CHECK(model_priority(id) == 9);
	MODEL_CHECK(SYNC_CALL(mutex_lock(&shared.mutex, LIMPET_NEVER)) == LIMPET_OK);
	MODEL_CHECK(SYNC_CALL(mutex_try(&shared.mutex)) == LIMPET_OK);
	sync_critical(id);
	MODEL_CHECK(SYNC_CALL(mutex_unlock(&shared.mutex)) == LIMPET_OK);
	MODEL_CHECK(SYNC_CALL(mutex_unlock(&shared.mutex)) == LIMPET_OK);
	MODEL_CHECK(model_priority(id) == 9 && mutex_mine(&shared.mutex));
	MODEL_CHECK(SYNC_CALL(mutex_unlock(&shared.mutex)) == LIMPET_OK);
	MODEL_CHECK(model_priority(id) == id);
}

static void test_mutex_ceiling(void **state)
{
	static const uint8_t priority[] = { 0, 1, 2, 3 };
	static const struct model model = {
		3, 1, priority, ceiling_begin, ceiling_thread, mutex_watch, mutex_end
	};

	(void)state;
	sync_run(&model);
}

/* Tests refusals, and calls that do not wait, with a single thread. */
static QUIET void errors_mutex(unsigned int id)
{
	struct mutex m = { 0 }, high = { .ceiling = 5, .recursive = true };

	(void)id;
	MODEL_CHECK(mutex_unlock(&m) == LIMPET_ESTATE);
	MODEL_CHECK(mutex_try(&m) == LIMPET_OK);
	MODEL_CHECK(mutex_try(&m) == LIMPET_ESTATE);
	MODEL_CHECK(mutex_lock(&m, 0) == LIMPET_ESTATE);
	MODEL_CHECK(mutex_unlock(&m) == LIMPET_OK);
	m.owner = 3; /* thread 2, which does not exist */
	MODEL_CHECK(mutex_try(&m) == LIMPET_EBUSY);
	MODEL_CHECK(mutex_lock(&m, SOON) == LIMPET_ETIME && !m.waiters);
	MODEL_CHECK(mutex_unlock(&m) == LIMPET_ESTATE && m.owner == 3);
	m = (struct mutex){ .recursive = true, .owner = ~0u << 16 | mutex_self() };
	MODEL_CHECK(mutex_lock(&m, 0) == LIMPET_ERANGE && mutex_try(&m) == LIMPET_ERANGE);
	MODEL_CHECK(mutex_unlock(&high) == LIMPET_ESTATE);
	MODEL_CHECK(sched_priority(0, 6) == 1);
	MODEL_CHECK(mutex_lock(&high, 0) == LIMPET_ERANGE && mutex_try(&high) == LIMPET_ERANGE);
	MODEL_CHECK(!high.owner && sched_priority(0, 5) == 6);
	MODEL_CHECK(mutex_lock(&high, 0) == LIMPET_OK && mutex_unlock(&high) == LIMPET_OK);
	MODEL_CHECK(model_priority(1) == 5);
	high.owner = 3;
	MODEL_CHECK(mutex_try(&high) == LIMPET_EBUSY && mutex_lock(&high, SOON) == LIMPET_ETIME);
}

static void test_errors(void **state)
{
	(void)state;
	sync_run_alone(errors_mutex);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mutex),	     cmocka_unit_test(test_mutex_timed),
		cmocka_unit_test(test_mutex_nested), cmocka_unit_test(test_mutex_ceiling),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
