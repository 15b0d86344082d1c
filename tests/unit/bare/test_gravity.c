// SPDX-License-Identifier: GPL-2.0
/* Tests the early wake-up time, which is derived from the latencies of earlier wake-ups. */
#include <setjmp.h>
#include <stdarg.h>

#include <host/gravity.h>

#include <cmocka.h>

#define GRAVITY_LIMIT 20000

/* Reports `count` wake-ups with the same latency. */
static void learn(struct gravity *g, unsigned int count, u64 latency)
{
	while (count--)
		gravity_learn(g, latency, GRAVITY_LIMIT);
}

static void test_it_rises_immediately_to_the_maximum(void **state)
{
	struct gravity g = { 0 };

	(void)state;
	learn(&g, 1, 4000);
	assert_int_equal(g.value, 4000);
	learn(&g, 1, 4200);
	assert_int_equal(g.value, 4200);
	learn(&g, 1, 4100);
	assert_int_equal(g.value, 4200);
}

static void test_it_is_bounded(void **state)
{
	struct gravity g = { 0 };

	(void)state;
	learn(&g, 1, GRAVITY_LIMIT + 1);
	assert_int_equal(g.value, GRAVITY_LIMIT);
}

static void test_it_falls_at_the_end_of_a_window(void **state)
{
	struct gravity g = { 0 };

	(void)state;
	learn(&g, GRAVITY_WAKES, 5000);
	learn(&g, GRAVITY_WAKES - 1, 4000);
	assert_int_equal(g.value, 5000);
	learn(&g, 1, 4000);
	assert_int_equal(g.value, 4000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_it_rises_immediately_to_the_maximum),
		cmocka_unit_test(test_it_is_bounded),
		cmocka_unit_test(test_it_falls_at_the_end_of_a_window),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
