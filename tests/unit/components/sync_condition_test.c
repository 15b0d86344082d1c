// SPDX-License-Identifier: BSD-2-Clause
/* Tests condition variables in all orders of memory accesses, and the refusals of each function. */
#include <sync/condition.h>
#include <sync/mutex.h>

#include "sync_run.h"

/* State shared by the threads of a run. */
static struct {
	struct mutex mutex;
	struct condition condition;
	unsigned int done, signals, there;
} shared;

static QUIET void begin(void)
{
	memset(&shared, 0, sizeof(shared));
	sync_begin();
}

/* Threads 1 and 2 each wait for one item. Thread 2 may time out. */
static QUIET void condition_take(unsigned int id, uint64_t deadline)
{
	long status = LIMPET_OK;

	MODEL_CHECK(SYNC_CALL(mutex_lock(&shared.mutex, LIMPET_NEVER)) == LIMPET_OK);
	while (!shared.there && status == LIMPET_OK) {
		status = condition_wait(&shared.condition, &shared.mutex, deadline);
		MODEL_CHECK(mutex_mine(&shared.mutex));
		if (status == LIMPET_OK)
			MODEL_CHECK(shared.signals-- > 0); /* a wait ends only by a signal */
	}
	if (shared.there) {
		shared.there--;
		shared.done++;
	} else {
		MODEL_CHECK(status == LIMPET_ETIME && deadline == SOON);
	}
	MODEL_CHECK(SYNC_CALL(mutex_unlock(&shared.mutex)) == LIMPET_OK);
	(void)id;
}

static QUIET void condition_give(bool all)
{
	for (int i = 0; i < 2; i++) {
		MODEL_CHECK(SYNC_CALL(mutex_lock(&shared.mutex, LIMPET_NEVER)) == LIMPET_OK);
		shared.there += all ? 2 : 1;
		shared.signals += all ? 2 : 1;
		if (all)
			MODEL_CHECK(condition_broadcast(&shared.condition, &shared.mutex) ==
				    LIMPET_OK);
		else
			MODEL_CHECK(condition_signal(&shared.condition, &shared.mutex) ==
				    LIMPET_OK);
		MODEL_CHECK(SYNC_CALL(mutex_unlock(&shared.mutex)) == LIMPET_OK);
		if (all)
			return;
	}
}

static QUIET void signal_thread(unsigned int id)
{
	if (id == 3)
		condition_give(false);
	else
		condition_take(id, LIMPET_NEVER);
}

static QUIET void broadcast_thread(unsigned int id)
{
	if (id == 3)
		condition_give(true);
	else
		condition_take(id, id == 2 ? SOON : LIMPET_NEVER);
}

static QUIET void condition_end(void)
{
	MODEL_CHECK(!shared.mutex.owner && !shared.mutex.waiters);
	MODEL_CHECK(!shared.condition.waiters && !shared.condition.signals &&
		    shared.done + shared.there == 2 && shared.done);
}

static void test_condition(void **state)
{
	static const uint8_t priority[] = { 0, 1, 2, 3 };
	static const struct model signal = {
		3, 1, priority, begin, signal_thread, NULL, condition_end
	};
	static const struct model broadcast = {
		3, 1, priority, begin, broadcast_thread, NULL, condition_end
	};

	(void)state;
	sync_run(&signal);
	sync_run(&broadcast);
}

/*
 * Thread 1 waits for an item. Thread 2 produces it, signals, and then waits on the same condition. It must not
 * receive its own signal.
 */
static QUIET void own_thread(unsigned int id)
{
	MODEL_CHECK(mutex_lock(&shared.mutex, LIMPET_NEVER) == LIMPET_OK);
	if (id == 1) {
		while (!shared.there)
			MODEL_CHECK(condition_wait(&shared.condition, &shared.mutex,
						   LIMPET_NEVER) == LIMPET_OK);
	} else {
		shared.there = 1;
		MODEL_CHECK(condition_signal(&shared.condition, &shared.mutex) == LIMPET_OK);
		MODEL_CHECK(condition_wait(&shared.condition, &shared.mutex, SOON) == LIMPET_ETIME);
	}
	MODEL_CHECK(mutex_unlock(&shared.mutex) == LIMPET_OK);
}

static QUIET void own_end(void)
{
	MODEL_CHECK(!shared.mutex.owner && !shared.mutex.waiters && !shared.condition.waiters &&
		    !shared.condition.signals);
}

static void test_own(void **state)
{
	static const uint8_t priority[] = { 0, 1, 2 };
	static const struct model own = { 2, 2, priority, begin, own_thread, NULL, own_end };

	(void)state;
	sync_run(&own);
}

static QUIET void errors_condition(unsigned int id)
{
	struct mutex m = { .recursive = true };
	struct condition c = { 0 };

	(void)id;
	MODEL_CHECK(condition_wait(&c, &m, SOON) == LIMPET_ESTATE);
	MODEL_CHECK(condition_signal(&c, &m) == LIMPET_ESTATE);
	MODEL_CHECK(condition_broadcast(&c, &m) == LIMPET_ESTATE);
	MODEL_CHECK(mutex_lock(&m, 0) == LIMPET_OK);
	MODEL_CHECK(condition_signal(&c, &m) == LIMPET_OK);
	MODEL_CHECK(condition_broadcast(&c, &m) == LIMPET_OK);
	MODEL_CHECK(condition_wait(&c, &m, SOON) == LIMPET_ETIME && !c.waiters && mutex_mine(&m));
	MODEL_CHECK(mutex_lock(&m, 0) == LIMPET_OK);
	MODEL_CHECK(condition_wait(&c, &m, SOON) == LIMPET_ESTATE);
}

static void test_errors(void **state)
{
	(void)state;
	sync_run_alone(errors_condition);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_condition),
		cmocka_unit_test(test_own),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
