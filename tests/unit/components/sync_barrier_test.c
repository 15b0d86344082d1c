// SPDX-License-Identifier: BSD-2-Clause
/* Tests barriers in all orders of memory accesses, and the refusals of each function. */
#include <sync/barrier.h>

#include "sync_run.h"

/* State shared by the threads of a run. */
static struct {
	struct barrier barrier;
	unsigned int done, there;
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

static QUIET void barrier_begin(void)
{
	begin();
	shared.barrier.total = 3;
}

static QUIET void barrier_thread(unsigned int id)
{
	for (unsigned int i = 1; i <= 2; i++) {
		long status;

		count(&shared.there, 1);
		status = barrier_wait(&shared.barrier, LIMPET_NEVER);
		MODEL_CHECK(status == 0 || status == 1);
		MODEL_CHECK(shared.there >= 3 * i);
		count(&shared.done, (int)status);
	}
	(void)id;
}

static QUIET void barrier_end(void)
{
	MODEL_CHECK(shared.done == 2 && (uint32_t)shared.barrier.state == 0 &&
		    !shared.barrier.waiters);
}

/* Thread 2 may time out, and then tries again. */
static QUIET void barrier_timed_thread(unsigned int id)
{
	long status = barrier_wait(&shared.barrier, id == 2 ? SOON : LIMPET_NEVER);

	if (id == 2 && status == LIMPET_ETIME)
		status = barrier_wait(&shared.barrier, LIMPET_NEVER);
	MODEL_CHECK(status == 0 || status == 1);
	count(&shared.done, (int)status);
}

static QUIET void barrier_timed_end(void)
{
	MODEL_CHECK(shared.done == 1 && shared.barrier.state == 1ul << 32 &&
		    !shared.barrier.waiters);
}

static void test_barrier(void **state)
{
	static const struct model plain = { 3,	  1,	      NULL, barrier_begin, barrier_thread,
					    NULL, barrier_end };
	static const struct model timed = {
		3, 2, NULL, barrier_begin, barrier_timed_thread, NULL, barrier_timed_end
	};

	(void)state;
	sync_run(&plain);
	sync_run(&timed);
}

static QUIET void errors_barrier(unsigned int id)
{
	struct barrier empty = { 0 }, two = { .total = 2 }, alone = { .total = 1 };

	(void)id;
	MODEL_CHECK(barrier_wait(&empty, SOON) == LIMPET_ERANGE);
	MODEL_CHECK(barrier_wait(&two, SOON) == LIMPET_ETIME && !two.state);
	MODEL_CHECK(barrier_wait(&alone, SOON) == 1 && barrier_wait(&alone, SOON) == 1);
}

static void test_errors(void **state)
{
	(void)state;
	sync_run_alone(errors_barrier);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_barrier),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
