// SPDX-License-Identifier: BSD-2-Clause
/* Tests lib/runtime: text, histograms, figures, arguments. */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <runtime/component.h>
#include <runtime/figure.h>
#include <runtime/format.h>
#include <runtime/print.h>

const struct limpet_info __limpet_info = {
	.name = "runtime",
	.ticks_per_ms = 2000000,
	.args = 2,
	.arg = { { .name = "rounds", .number = -7 }, { .name = "to", .text = "pong" } },
};

static char printed[8192];

void limpet_print(const char *format, ...)
{
	va_list values;
	size_t length = strlen(printed);

	va_start(values, format);
	limpet_vformat(printed + length, sizeof(printed) - length, format, values);
	va_end(values);
}

/* Checks that text and length are those of the C library, complete and truncated. */
#define SAME(...)                                                                                  \
	do {                                                                                       \
		char wanted[100], got[100];                                                        \
		int length = snprintf(wanted, sizeof(wanted), __VA_ARGS__);                        \
                                                                                                   \
		assert_int_equal(limpet_format(got, sizeof(got), __VA_ARGS__), length);            \
		assert_string_equal(got, wanted);                                                  \
		assert_int_equal(limpet_format(got, 4, __VA_ARGS__), length);                      \
		wanted[3] = 0;                                                                     \
		assert_string_equal(got, wanted);                                                  \
	} while (0)

static void test_format(void **state)
{
	(void)state;
	SAME("%s", "");
	SAME("100%% of %s", "it");
	SAME("%d %d %d", 0, INT_MAX, INT_MIN);
	SAME("%ld %ld", LONG_MAX, LONG_MIN);
	SAME("%u %lu %zu", UINT_MAX, ULONG_MAX, (size_t)12);
	SAME("%x %lx", 0xdeadbeef, 0x123456789abcdefl);
	SAME("[%5d] [%-5d] [%05d] [%05d]", 42, 42, 42, -42);
	SAME("[%7s] [%-7s] [%2s] %c", "four", "four", "four", 'x');
	SAME("[%08lx] [%3u]", 0x1234ul, 123456u);
}

static void test_format_odd(void **state)
{
	const char *volatile none = NULL;
	char got[20];

	(void)state;
	assert_int_equal(limpet_format(got, sizeof(got), "%s|", none), 7);
	assert_string_equal(got, "(null)|");
	memset(got, 'x', sizeof(got));
	limpet_format(got, 1, "abc");
	assert_int_equal(got[0], 0);
	assert_int_equal(got[1], 'x');
}

static void test_buckets(void **state)
{
	static struct histogram h;
	uint64_t value;

	(void)state;
	for (unsigned int i = 0; i + 1 < HISTOGRAM_BUCKETS; i++)
		assert_true(histogram_floor(i) < histogram_floor(i + 1));
	for (unsigned int i = 0; i < HISTOGRAM_BUCKETS; i++) {
		histogram_clear(&h);
		value = histogram_floor(i);
		histogram_add(&h, value);
		assert_int_equal(h.bucket[i], 1);
		if (i + 1 == HISTOGRAM_BUCKETS)
			break;
		histogram_add(&h, histogram_floor(i + 1) - 1);
		assert_int_equal(h.bucket[i], 2);
	}
	histogram_clear(&h);
	histogram_add(&h, UINT64_MAX);
	assert_int_equal(h.bucket[HISTOGRAM_BUCKETS - 1], 1);
	assert_int_equal(histogram_quantile(&h, 500), UINT64_MAX);
}

static void test_quantile(void **state)
{
	static struct histogram h;

	(void)state;
	histogram_clear(&h);
	assert_int_equal(histogram_quantile(&h, 500), 0);
	assert_int_equal(histogram_mean(&h), 0);
	for (uint64_t i = 1; i <= 1000; i++)
		histogram_add(&h, i * 20);
	assert_in_range(histogram_quantile(&h, 500), 10000 - 64, 10000 + 64);
	assert_in_range(histogram_quantile(&h, 990), 19800 - 64, 19800 + 64);
	assert_in_range(histogram_quantile(&h, 1000), 20000 - 64, 20000);
	assert_int_equal(histogram_quantile(&h, 0), 32); /* the middle of the first bucket */
	assert_int_equal(histogram_mean(&h), 10010);
	assert_int_equal(h.min, 20);
	assert_int_equal(h.max, 20000);
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void check_figure(uint32_t *values, uint64_t n)
{
	static uint32_t sorted[1000];
	struct figure f;
	double sum = 0, squares = 0;

	memcpy(sorted, values, n * sizeof(values[0]));
	qsort(sorted, n, sizeof(values[0]), compare);
	f = figure_of_values(values, n);
	assert_memory_equal(values, sorted, n * sizeof(values[0]));
	assert_int_equal(f.n, n);
	assert_int_equal(f.min, sorted[0]);
	assert_int_equal(f.max, sorted[n - 1]);
	assert_int_equal(f.median, sorted[(n - 1) / 2]);
	assert_int_equal(f.p99, sorted[(uint64_t)ceil((double)n * 0.99) - 1]);
	for (uint64_t i = 0; i < n; i++)
		sum += values[i];
	for (uint64_t i = 0; i < n; i++)
		squares += (values[i] - sum / (double)n) * (values[i] - sum / (double)n);
	assert_int_equal(f.mean, (uint64_t)(sum / (double)n));
	assert_true(fabs(sqrt(squares / (double)n) - (double)f.stddev) <= 2 + (double)f.max / 1e6);
}

static void test_figure(void **state)
{
	static uint32_t values[1000];

	(void)state;
	srandom(5);
	for (uint64_t n = 1; n <= 1000; n = n < 20 ? n + 1 : n * 2) {
		for (uint64_t i = 0; i < n; i++)
			values[i] = (uint32_t)random() % 1000 + 133;
		check_figure(values, n);
		for (uint64_t i = 0; i < n; i++)
			values[i] = (uint32_t)random() * 2;
		check_figure(values, n);
	}
}

static void test_figure_print(void **state)
{
	static struct histogram h;
	const struct figure f = { 1, 1999, 200000, 2400399, 50000000000ul, 6, 7 };

	(void)state;
	printed[0] = 0;
	figure_print(&f, "suite", "case", "subject");
	assert_string_equal(
		printed,
		"{\"figure\": {\"suite\": \"suite\", \"case\": \"case\", "
		"\"subject\": \"subject\", \"unit\": \"ticks\", \"n\": 1, \"min\": 1999, "
		"\"median\": 200000, \"p99\": 2400399, \"max\": 50000000000, \"mean\": 6, "
		"\"stddev\": 7}}\n"
		"case of subject: median 100.0 µs, 0.9 to 25000000.0 µs, 99 of 100 at most "
		"1200.1 µs\n");
	printed[0] = 0;
	histogram_clear(&h);
	histogram_add(&h, 70);
	histogram_add(&h, 71);
	histogram_add(&h, 40000);
	figure_print_histogram(&h, "s", "c", "u");
	assert_string_equal(
		printed, "{\"histogram\": {\"suite\": \"s\", \"case\": \"c\", \"subject\": \"u\", "
			 "\"unit\": \"ticks\", \"ticks_per_ms\": 2000000, "
			 "\"buckets\": [[64, 2], [38912, 1]]}}\n");
	printed[0] = 0;
	histogram_print(&h, "wake-up");
	assert_non_null(strstr(printed, "\"case\": \"wake-up\", \"subject\": \"runtime\", "));
	assert_non_null(strstr(printed, "\"buckets\": [[64, 2], [38912, 1]]}}\n"));
}

/* The console can accept the line for each content of the histogram. */
static void test_histogram_line(void **state)
{
	static struct histogram h;

	(void)state;
	histogram_clear(&h);
	for (unsigned int i = 0; i < HISTOGRAM_BUCKETS; i++)
		for (int n = 0; n < 12; n++)
			histogram_add(&h, histogram_floor(i));
	printed[0] = 0;
	figure_print_histogram(&h, "table1", "timer", "limpet-loaded");
	assert_true(strlen(printed) < 4000);
	assert_non_null(strstr(printed, "[[0, 48], [256, 48]"));
}

static void test_args(void **state)
{
	const struct limpet_info *info = limpet_info();

	(void)state;
	assert_int_equal(limpet_arg_number(info, "rounds", 5), -7);
	assert_int_equal(limpet_arg_number(info, "round", 5), 5);
	assert_int_equal(limpet_arg_number(info, "to", 5), 5);
	printed[0] = 0;
	assert_int_equal(limpet_arg_within(info, "rounds", 5, -7, 9), -7);
	assert_int_equal(limpet_arg_within(info, "round", 5, 5, 5), 5);
	assert_string_equal(printed, "");
	assert_int_equal(limpet_arg_within(info, "rounds", 5, -6, 9), 5);
	assert_int_equal(limpet_arg_within(info, "rounds", -9, -9, -8), -9);
	assert_string_equal(
		printed,
		"argument rounds is -7, but must be -6 to 9. 5 is used. Correct the system file.\n"
		"argument rounds is -7, but must be -9 to -8. -9 is used. Correct the system file.\n");
	assert_string_equal(limpet_arg_text(info, "to", "x"), "pong");
	assert_string_equal(limpet_arg_text(info, "rounds", "x"), "x");
	assert_null(limpet_arg_text(info, "", NULL));
}

static void test_errors(void **state)
{
	(void)state;
	assert_string_equal(limpet_error_name(LIMPET_ESLOT), "ESLOT");
	assert_string_equal(limpet_error_name(LIMPET_EQUOTA), "EQUOTA");
	assert_string_equal(limpet_error_name(0), "OK");
	assert_string_equal(limpet_error_name(77), "OK");
	assert_string_equal(limpet_error_name(-1000), "E?");
	assert_string_equal(limpet_error_name(LONG_MIN), "E?");
	assert_string_equal(limpet_error_text(LIMPET_EQUOTA), "the caller's quota is used up");
	assert_string_equal(limpet_error_text(-999), "unknown error");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_format),	       cmocka_unit_test(test_format_odd),
		cmocka_unit_test(test_buckets),	       cmocka_unit_test(test_quantile),
		cmocka_unit_test(test_figure),	       cmocka_unit_test(test_figure_print),
		cmocka_unit_test(test_histogram_line), cmocka_unit_test(test_args),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
