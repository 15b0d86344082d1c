// SPDX-License-Identifier: GPL-2.0
/* Tests `limpet top` with two snapshots that the test makes. */
#include "test.h"
#include "stat_random.h"

#include <cli/command/top/top.h>

#include "json_check.h"

static struct snapshot before, now;
static struct top top;

/* Makes two snapshots, half a second apart: two components on two CPUs, and thread 1 ran a fifth of the time. */
static void snapshots(void)
{
	stat_allocate(&before.stat, 2, 2, 2);
	memset(&before.info, 0, sizeof(before.info));
	before.info.uptime_ns = 1000000000;
	before.info.ticks_per_ms = 1000000;
	before.stat.cpu[1].cpu = 1;
	before.stat.component[0] = (struct limpet_stat_component){ .index = 1, .entered = 1000 };
	before.stat.component[1] =
		(struct limpet_stat_component){ .cpu = 1, .index = 2, .entered = 7 };
	before.stat.thread[0] =
		(struct limpet_stat_thread){ .id = 1, .ticks = 5000000, .misses = 3 };
	before.stat.thread[1] = (struct limpet_stat_thread){ .cpu = 1, .id = 1, .dispatches = 10 };
	now.info = before.info;
	stat_copy(&now.stat, &before.stat);
	now.info.uptime_ns += 500000000;
	now.stat.cpu[0].events = 50;
	now.stat.component[0].entered = 3000;
	now.stat.component[0].left = 2999;
	now.stat.component[1].epoch = 2;
	now.stat.component[1].closed = 1;
	now.stat.thread[0].ticks += 100000000;
	now.stat.thread[0].misses = 5;
	now.stat.thread[1].dispatches = 110;
}

static void test_rates(void **state)
{
	(void)state;
	snapshots();
	top_take(&top, &before, &now, TOP_CPU);
	assert_true(top.seconds == 0.5);
	assert_int_equal(top.cpus, 2);
	assert_true(top.cpu[0].invocations == 4000);
	assert_true(top.cpu[0].events == 100);
	assert_true(top.cpu[0].percent > 19.99 && top.cpu[0].percent < 20.01);
	assert_true(top.cpu[1].percent == 0 && top.cpu[1].invocations == 0);
	assert_int_equal(top.thread[0].cpu, 0);
	assert_int_equal(top.thread[0].misses, 5);
	assert_int_equal(top.thread[0].missed, 2);
	assert_true(top.thread[1].dispatches == 200);
	assert_int_equal(top.component[0].inside, 1);
	assert_int_equal(top.component[1].restarts, 2);
	assert_true(top.component[1].stopped && !top.component[0].stopped);
}

static void test_sort(void **state)
{
	(void)state;
	snapshots();
	top_take(&top, &before, &now, TOP_DISPATCHES);
	assert_int_equal(top.thread[0].cpu, 1);
	top_take(&top, &before, &now, TOP_MISSES);
	assert_int_equal(top.thread[0].cpu, 0);
	top_take(&top, &before, &now, TOP_RESTARTS);
	assert_int_equal(top.component[0].index, 2);
	top_take(&top, &before, &now, TOP_INVOCATIONS);
	assert_int_equal(top.component[0].index, 1);
	top_take(&top, &before, &now, TOP_NAME);
	assert_int_equal(top.component[0].index, 1); /* no image: all names are the same */
	for (unsigned int sort = 0; sort < TOP_SORTS; sort++)
		assert_int_equal(top_sort_of(top_sort_word(sort)), sort);
	assert_null(top_sort_word(TOP_SORTS));
	assert_int_equal(top_sort_of("size"), TOP_SORTS);
}

/* Tests a different system, counters of a restarted thread, and no data. */
static void test_other(void **state)
{
	static const struct snapshot nothing;

	(void)state;
	snapshots();
	now.info.uptime_ns = 250000000;
	top_take(&top, &before, &now, TOP_CPU);
	assert_true(top.seconds == 0.25);
	assert_true(top.cpu[0].invocations == 12000);
	snapshots();
	now.stat.thread[1].dispatches = 5;
	top_take(&top, &before, &now, TOP_DISPATCHES);
	assert_true(top.thread[0].dispatches == 10);
	top_take(&top, &nothing, &nothing, TOP_CPU);
	assert_int_equal(top.threads, 0);
}

static char *printed(bool json)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	if (json)
		top_print_json(out, &top);
	else
		top_print(out, &top, TOP_MISSES);
	fclose(out);
	return text;
}

static void test_print(void **state)
{
	char *text;

	(void)state;
	snapshots();
	top_take(&top, &before, &now, TOP_MISSES);
	text = printed(true);
	assert_true(json_is_valid(text));
	assert_non_null(strstr(text, "\"misses\": 5, \"missed\": 2"));
	free(text);
	text = printed(false);
	assert_non_null(strstr(text, "over 0.5 s, by misses\n"));
	assert_non_null(strstr(text, "  0     0   20.00        4000.0     100.0 "));
	free(text);
}

static void test_chance(void **state)
{
	uint64_t seed = 4711;
	char *text;

	(void)state;
	for (int round = 0; round < 50; round++) {
		stat_random(&now.stat, &seed);
		stat_random(&before.stat, &seed);
		now.info.uptime_ns = test_random(&seed);
		top_take(&top, &before, &now, (enum top_sort)(round % TOP_SORTS));
		text = printed(true);
		assert_true(json_is_valid(text));
		free(text);
		free(printed(false));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rates),  cmocka_unit_test(test_sort),
		cmocka_unit_test(test_other),  cmocka_unit_test(test_print),
		cmocka_unit_test(test_chance),
	};

	return cmocka_run_group_tests_name("top", tests, NULL, NULL);
}
