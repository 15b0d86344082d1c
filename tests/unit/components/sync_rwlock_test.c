// SPDX-License-Identifier: BSD-2-Clause
/* Tests read-write locks in all orders of memory accesses, and the refusals of each function. */
#include <sync/rwlock.h>

#include "sync_run.h"

/* State shared by the threads of a run. */
static struct {
	struct rwlock rwlock;
	unsigned int readers;
} shared;

static QUIET void begin(void)
{
	memset(&shared, 0, sizeof(shared));
	sync_begin();
}

static QUIET void count(unsigned int *what, int by)
{
	*what += (unsigned int)by;
}

static QUIET void reads(unsigned int id, uint64_t deadline)
{
	long status = SYNC_CALL(rwlock_read(&shared.rwlock, deadline));

	if (status) {
		MODEL_CHECK(status == LIMPET_ETIME && deadline == SOON);
		return;
	}
	count(&shared.readers, 1);
	MODEL_CHECK(!run_state.inside);
	fake_point();
	MODEL_CHECK(!run_state.inside);
	count(&shared.readers, -1);
	MODEL_CHECK(SYNC_CALL(rwlock_read_end(&shared.rwlock)) == LIMPET_OK);
	(void)id;
}

static QUIET void writes(unsigned int id, uint64_t deadline)
{
	long status = SYNC_CALL(rwlock_write(&shared.rwlock, deadline));

	if (status) {
		MODEL_CHECK(status == LIMPET_ETIME && deadline == SOON);
		return;
	}
	MODEL_CHECK(!shared.readers);
	sync_critical(id);
	MODEL_CHECK(!shared.readers);
	MODEL_CHECK(SYNC_CALL(rwlock_write_end(&shared.rwlock)) == LIMPET_OK);
}

/* Each waiter lends its priority to the writer, or to a thread that is still in a function of lib/sync. */
static QUIET void rwlock_watch(void)
{
	const struct rwlock *l = &shared.rwlock;

	for (unsigned int id = 1; l->writer && id <= MODEL_THREADS; id++)
		if (model_waits(id, &l->waiters))
			MODEL_CHECK(model_lends(id, l->writer - 1, run_state.looking));
}

static QUIET void rwlock_end(void)
{
	MODEL_CHECK(rwlock_reader(&shared.rwlock) == RWLOCK_NO_READER && !shared.rwlock.writer &&
		    !shared.rwlock.waiters);
}

static QUIET void rwlock_thread(unsigned int id)
{
	if (id == 1)
		writes(id, LIMPET_NEVER);
	else
		reads(id, LIMPET_NEVER);
	if (id == 2)
		writes(id, LIMPET_NEVER);
}

static QUIET void rwlock_timed_thread(unsigned int id)
{
	if (id == 1)
		writes(id, SOON);
	else
		reads(id, id == 2 ? SOON : LIMPET_NEVER);
	if (id == 3)
		writes(id, LIMPET_NEVER);
}

static void test_rwlock(void **state)
{
	static const uint8_t priority[] = { 0, 3, 1, 2 };
	static const struct model plain = {
		3, 2, priority, begin, rwlock_thread, rwlock_watch, rwlock_end
	};
	static const struct model timed = {
		3, 1, priority, begin, rwlock_timed_thread, rwlock_watch, rwlock_end
	};

	(void)state;
	sync_run(&plain);
	sync_run(&timed);
}

static QUIET void errors_rwlock(unsigned int id)
{
	struct rwlock l = { 0 };

	(void)id;
	MODEL_CHECK(rwlock_read_end(&l) == LIMPET_ESTATE && rwlock_write_end(&l) == LIMPET_ESTATE);
	MODEL_CHECK(rwlock_read(&l, 0) == LIMPET_OK && rwlock_read(&l, 0) == LIMPET_ESTATE);
	MODEL_CHECK(rwlock_write(&l, 0) == LIMPET_ESTATE && !l.writer);
	MODEL_CHECK(rwlock_read_end(&l) == LIMPET_OK && rwlock_write(&l, 0) == LIMPET_OK);
	MODEL_CHECK(rwlock_write(&l, 0) == LIMPET_ESTATE && rwlock_read(&l, 0) == LIMPET_ESTATE);
	MODEL_CHECK(rwlock_write_end(&l) == LIMPET_OK && rwlock_reader(&l) == RWLOCK_NO_READER &&
		    !l.writer);
	l.readers[0] = 1ul << 2;
	l.used = 1;
	MODEL_CHECK(rwlock_read(&l, 0) == LIMPET_OK && rwlock_write(&l, SOON) == LIMPET_ESTATE);
	MODEL_CHECK(rwlock_read_end(&l) == LIMPET_OK && rwlock_write(&l, SOON) == LIMPET_ETIME);
	l.writer = 3;
	MODEL_CHECK(rwlock_read(&l, SOON) == LIMPET_ETIME && l.readers[0] == 1ul << 2);
	MODEL_CHECK(rwlock_write(&l, SOON) == LIMPET_ETIME && l.writer == 3 && !l.waiters);
}

static void test_errors(void **state)
{
	(void)state;
	sync_run_alone(errors_rwlock);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rwlock),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
