// SPDX-License-Identifier: GPL-2.0
/* Tests that histograms of components are read, added up and drawn. */
#include "test.h"

#include <cli/command/hist/hist.h>

#define LINE(subject, buckets)                                                                          \
	"control: {\"histogram\": {\"suite\": \"table1\", \"case\": \"timer\", \"subject\": \"" subject \
	"\", \"unit\": \"ticks\", \"buckets\": [" buckets "]}}\n"

static struct hists hists;

static char *drawn(bool svg, unsigned int columns, bool blocks)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	if (svg)
		hist_svg(out, &hists, "histograms", true);
	else
		hist_draw(out, &hists.series[0], columns, blocks);
	fclose(out);
	return text;
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in:\n%s", part, text);
}

static void test_read(void **state)
{
	(void)state;
	assert_true(hist_line(&hists, "nothing\n"));
	assert_true(hist_line(&hists, LINE("limpet", "[704, 10], [768, 85], [1472, 5]")));
	assert_true(hist_line(&hists, LINE("limpet", "[640, 1], [768, 99]")));
	assert_true(hist_line(&hists, LINE("other", "[64, 3]")));
	assert_true(hist_line(&hists, LINE("empty", "")));
	assert_int_equal(hists.count, 3);
	assert_string_equal(hists.series[0].label, "timer limpet");
	assert_string_equal(hists.series[0].unit, "ticks");
	assert_int_equal(hists.series[0].reports, 2);
	assert_int_equal(hists.series[0].count, 200);
	assert_int_equal(hists.series[0].buckets, 4);
	assert_int_equal(hists.series[0].bucket[0].floor, 640);
	assert_int_equal(hists.series[0].bucket[2].count, 184);
	assert_int_equal(hist_quantile(&hists.series[0], 0), 640);
	assert_int_equal(hist_quantile(&hists.series[0], 500), 768);
	assert_int_equal(hist_quantile(&hists.series[0], 990), 1472);
	hist_release(&hists);
}

static uint32_t bucket_of(uint64_t ticks)
{
	return limpet_job_bucket(ticks);
}

/* hist_jobs() counts the jobs between two readings of the kernel's statistics. */
static void test_jobs(void **state)
{
	struct limpet_job_times before = { 0 }, now = { 0 };
	struct hist_bucket bucket[HIST_JOBS];
	struct hist hist = { .bucket = bucket };
	struct hist_rows rows;

	(void)state;
	hist_jobs(&hist, &before, &now);
	assert_int_equal(hist.count, 0);
	assert_int_equal(hist.buckets, 0);
	before.bucket[bucket_of(100)] = 7;
	now = before;
	now.bucket[bucket_of(1000)] = 90;
	now.bucket[bucket_of(4100)] = 10;
	hist_jobs(&hist, &before, &now);
	assert_true(hist.closed);
	assert_string_equal(hist.unit, "ticks");
	assert_int_equal(hist.count, 100);
	assert_int_equal(bucket[0].floor, limpet_job_floor(bucket_of(1000)));
	assert_int_equal(bucket[0].count, 90);
	assert_int_equal(bucket[hist.buckets - 2].count, 10);
	assert_int_equal(bucket[hist.buckets - 1].floor, limpet_job_floor(bucket_of(4100) + 1));
	assert_int_equal(bucket[hist.buckets - 1].count, 0);
	rows = hist_rows(&hist, 24);
	assert_int_equal(rows.steps, 2);
	assert_int_equal(hist_row_count(&hist, 2, rows.first), 90);
	assert_int_equal(hist_row_count(&hist, 2, rows.first + rows.count - 1), 10);
	now.bucket[0] = 8;
	hist_jobs(&hist, &before, &now);
	assert_int_equal(bucket[0].floor, limpet_job_floor(1) / 2);
	assert_int_equal(bucket[0].count, 1);
	now.bucket[LIMPET_JOB_BUCKETS - 1] = 1;
	hist_jobs(&hist, &before, &now);
	assert_int_equal(hist.buckets, HIST_JOBS);
	assert_int_equal(bucket[HIST_JOBS - 2].count, 1);
}

static void test_scale(void **state)
{
	(void)state;
	assert_true(hist_line(
		&hists, LINE("x", "[3000, 10], [6000, 5], [6001, 2], [18446744073709551615, 1]")));
	hist_scale(&hists, 0);
	assert_string_equal(hists.series[0].unit, "ticks");
	hist_scale(&hists, 3000000);
	assert_string_equal(hists.series[0].unit, "ns");
	assert_int_equal(hists.series[0].buckets, 3);
	assert_int_equal(hists.series[0].bucket[0].floor, 1000);
	assert_int_equal(hists.series[0].bucket[1].floor, 2000);
	assert_int_equal(hists.series[0].bucket[1].count, 7);
	assert_int_equal(hists.series[0].bucket[2].floor, UINT64_MAX / 3);
	assert_int_equal(hists.series[0].count, 18);
	hist_scale(&hists, 1); /* the values are already in ns */
	assert_int_equal(hists.series[0].bucket[0].floor, 1000);
	hist_release(&hists);
	assert_true(hist_line(&hists, LINE("x", "[18446744073709551615, 1]")));
	hist_scale(&hists, 1);
	assert_int_equal(hists.series[0].bucket[0].floor, UINT64_MAX);
	hist_release(&hists);
}

#define RATED(rate, buckets)                                                                       \
	"{\"histogram\": {\"case\": \"timer\", \"subject\": \"x\", \"unit\": \"ticks\", "          \
	"\"ticks_per_ms\": " rate ", \"buckets\": [" buckets "]}}\n"

/* Each line has the rate of the machine that printed it. It differs from the rate of this machine. */
static void test_rate(void **state)
{
	(void)state;
	assert_true(hist_line(&hists, RATED("2000000", "[3000, 10]")));
	assert_true(hist_line(&hists, RATED("2000000", "[5000, 1]")));
	assert_false(hist_line(&hists, RATED("3000000", "[3000, 10]")));
	assert_false(hist_line(&hists, LINE("x", "[3000, 10]")));
	hist_scale(&hists, 1000000);
	assert_string_equal(hists.series[0].unit, "ns");
	assert_int_equal(hists.series[0].count, 11);
	assert_int_equal(hists.series[0].bucket[0].floor, 1500);
	assert_int_equal(hists.series[0].bucket[1].floor, 2500);
	hist_release(&hists);
	assert_false(hist_line(&hists, RATED("-1", "[3000, 10]")));
	hist_release(&hists);
}

static void test_nonsense(void **state)
{
	static const char *const lines[] = {
		LINE("x", "[1, 2"),
		LINE("x", "[1]"),
		LINE("x", "[-1, 2]"),
		LINE("x", "[1, 2] junk"),
		LINE("x", "[1,2]"),
		LINE("x", "[99999999999999999999, 2]"),
		LINE("x", "[1, 18446744073709551615], [2, 1]"),
		"\"buckets\": [",
		"\"buckets\": [[1",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		assert_false(hist_line(&hists, lines[i]));
		hist_release(&hists);
	}
	assert_true(hist_line(&hists, LINE("\33[2J\t", "[1, 2]")));
	assert_string_equal(hists.series[0].label, "timer ?[2J?");
	for (char c = 'a'; c < 'a' + HIST_SERIES - 1; c++) {
		char line[] = LINE("?", "[1, 2]");

		*strrchr(line, '?') = c;
		assert_true(hist_line(&hists, line));
	}
	assert_false(hist_line(&hists, LINE("more", "[1, 2]")));
	hist_release(&hists);
}

/* Rows are contiguous and contain all values, for any values. */
static void test_rows(void **state)
{
	uint64_t seed = 4711, sum;

	(void)state;
	for (unsigned int steps = 1; steps <= 4; steps *= 2)
		for (unsigned int row = 4; row < 63 * steps; row++)
			assert_true(hist_row_floor(steps, row) < hist_row_floor(steps, row + 1) ||
				    row < 3 * steps);
	assert_int_equal(hist_row_floor(4, 40), 1024);
	assert_int_equal(hist_row_floor(2, 21), 1449);
	for (unsigned int round = 0; round < 100; round++) {
		char line[256];
		struct hist_rows rows;

		snprintf(line, sizeof(line), LINE("x", "[%llu, 5], [%llu, 3], [%llu, 2]"),
			 (unsigned long long)(test_random(&seed) >> test_random(&seed) % 64),
			 (unsigned long long)(test_random(&seed) >> test_random(&seed) % 64),
			 (unsigned long long)(test_random(&seed) >> test_random(&seed) % 64));
		assert_true(hist_line(&hists, line));
		rows = hist_rows(&hists.series[0], 24);
		sum = 0;
		for (unsigned int i = 0; i < rows.count; i++)
			sum += hist_row_count(&hists.series[0], rows.steps, rows.first + i);
		assert_int_equal(sum, 10);
		assert_true(rows.count <= 64);
		free(drawn(false, 80, true));
		free(drawn(true, 0, false));
		hist_release(&hists);
	}
}

static void test_draw(void **state)
{
	char *text;

	(void)state;
	assert_true(hist_line(&hists, LINE("limpet", "[700, 1000], [800, 3000], [3000, 1]")));
	text = drawn(false, 88, false);
	assert_has(text, "timer limpet: 4001 values in 1 report; median from 800, 99 % from 800, "
			 "maximum from 3000 ticks\n");
	assert_has(text, "         609 - 725              1000   25.0% ##############\n");
	assert_has(text, "         725 - 862              3000   75.0% "
			 "########################################\n");
	assert_has(text, "        2897 - 3445                1   <0.1% #\n");
	free(text);
	text = drawn(false, 88, true);
	assert_has(text, " 25.0% █████████████▍\n");
	free(text);
	assert_true(hist_line(&hists, LINE("<&", "[64, 3]")));
	text = drawn(true, 0, false);
	assert_has(text, "timer &#60;&#38;: 3 values");
	assert_has(text, "</svg>\n");
	free(text);
	hist_release(&hists);
	assert_true(hist_line(&hists, LINE("empty", "")));
	free(drawn(true, 0, false));
	text = drawn(false, 80, false);
	assert_string_equal(text, "timer empty: 0 values in 1 report\n");
	free(text);
	hist_release(&hists);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read), cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_jobs), cmocka_unit_test(test_scale),
		cmocka_unit_test(test_rows), cmocka_unit_test(test_draw),
		cmocka_unit_test(test_rate),
	};

	return cmocka_run_group_tests_name("hist", tests, NULL, NULL);
}
