// SPDX-License-Identifier: BSD-2-Clause
/* Tests semaphores in all orders of memory accesses, and the refusals of each function. */
#include <sync/semaphore.h>

#include "sync_run.h"

/* State shared by the threads of a run. */
static struct {
	struct semaphore semaphore;
	unsigned int done;
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

static QUIET void semaphore_thread(unsigned int id)
{
	if (id == 3) {
		MODEL_CHECK(semaphore_up(&shared.semaphore) == LIMPET_OK);
		MODEL_CHECK(semaphore_up(&shared.semaphore) == LIMPET_OK);
		return;
	}
	if (semaphore_down(&shared.semaphore, id == 2 ? SOON : LIMPET_NEVER) == LIMPET_OK)
		count(&shared.done, 1);
	else
		MODEL_CHECK(id == 2);
}

static QUIET void semaphore_end(void)
{
	MODEL_CHECK(shared.done + shared.semaphore.value == 2 && shared.done &&
		    !shared.semaphore.waiters);
}

static QUIET void semaphore_both_thread(unsigned int id)
{
	if (id == 3) {
		semaphore_thread(id);
		return;
	}
	MODEL_CHECK(semaphore_down(&shared.semaphore, LIMPET_NEVER) == LIMPET_OK);
	count(&shared.done, 1);
}

static void test_semaphore(void **state)
{
	static const struct model timed = {
		3, 2, NULL, begin, semaphore_thread, NULL, semaphore_end
	};
	static const uint8_t priority[] = { 0, 3, 2, 1 };
	static const struct model both = {
		3, 2, priority, begin, semaphore_both_thread, NULL, semaphore_end
	};

	(void)state;
	sync_run(&timed);
	sync_run(&both);
}

static QUIET void errors_semaphore(unsigned int id)
{
	struct semaphore full = { .value = UINT32_MAX }, none = { 0 };

	(void)id;
	MODEL_CHECK(semaphore_up(&full) == LIMPET_ERANGE && full.value == UINT32_MAX);
	MODEL_CHECK(!semaphore_try(&none) && semaphore_down(&none, SOON) == LIMPET_ETIME);
}

static void test_errors(void **state)
{
	(void)state;
	sync_run_alone(errors_semaphore);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_semaphore),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
