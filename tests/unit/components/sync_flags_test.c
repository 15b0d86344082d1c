// SPDX-License-Identifier: BSD-2-Clause
/* Tests event flags in all orders of memory accesses, and the refusals of each function. */
#include <sync/flags.h>

#include "sync_run.h"

/* State shared by the threads of a run. */
static struct {
	struct flags flags;
} shared;

static QUIET void begin(void)
{
	memset(&shared, 0, sizeof(shared));
	sync_begin();
}

/* Thread 1 takes one of two flags. Thread 2 takes both or times out. Thread 3 finally sets one more for thread 1. */
static QUIET void flags_thread(unsigned int id)
{
	uint64_t got = 0;
	long status;

	if (id == 1) {
		MODEL_CHECK(flags_wait(&shared.flags, 9, FLAGS_ANY | FLAGS_CLEAR, &got,
				       LIMPET_NEVER) == LIMPET_OK);
		MODEL_CHECK(got && !(got & ~9ul));
	} else if (id == 2) {
		status = flags_wait(&shared.flags, 3, FLAGS_ALL | FLAGS_CLEAR, &got, SOON);
		MODEL_CHECK(status == LIMPET_OK ? got == 3 : status == LIMPET_ETIME);
		MODEL_CHECK(flags_wait(&shared.flags, 4, FLAGS_ALL, &got, LIMPET_NEVER) ==
			    LIMPET_OK);
		MODEL_CHECK(got == 4);
	} else {
		MODEL_CHECK(flags_set(&shared.flags, 1) == LIMPET_OK);
		MODEL_CHECK(flags_set(&shared.flags, 2) == LIMPET_OK);
		MODEL_CHECK(flags_set(&shared.flags, 3 | 4 | 8) == LIMPET_OK);
	}
}

static QUIET void flags_end(void)
{
	MODEL_CHECK(shared.flags.set & 4 && !shared.flags.waiters);
}

static void test_flags(void **state)
{
	static const struct model model = { 3, 1, NULL, begin, flags_thread, NULL, flags_end };

	(void)state;
	sync_run(&model);
}

static QUIET void errors_flags(unsigned int id)
{
	struct flags f = { .set = 5 };
	uint64_t got = 0;

	(void)id;
	MODEL_CHECK(flags_wait(&f, 0, FLAGS_ANY, &got, SOON) == LIMPET_ERANGE);
	MODEL_CHECK(flags_wait(&f, 1, 4, &got, SOON) == LIMPET_ERANGE);
	MODEL_CHECK(flags_wait(&f, 3, FLAGS_ALL, &got, SOON) == LIMPET_ETIME && !got);
	MODEL_CHECK(flags_wait(&f, 7, FLAGS_ANY, &got, 0) == LIMPET_OK && got == 5 && f.set == 5);
	MODEL_CHECK(flags_clear(&f, 6) == 4 && f.set == 1);
}

static void test_errors(void **state)
{
	(void)state;
	sync_run_alone(errors_flags);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flags),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
