// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>
#include <runtime/figure.h>
#include <runtime/print.h>
#include <runtime/time.h>

/* Restores the heap order below `at`. */
static void sift(uint32_t *values, uint64_t n, uint64_t at)
{
	for (;;) {
		uint64_t child = 2 * at + 1;
		uint32_t value = values[at];

		if (child >= n)
			return;
		if (child + 1 < n && values[child + 1] > values[child])
			child++;
		if (values[child] <= value)
			return;
		values[at] = values[child];
		values[child] = value;
		at = child;
	}
}

static void sort(uint32_t *values, uint64_t n)
{
	for (uint64_t i = n / 2; i--;)
		sift(values, n, i);
	for (uint64_t i = n; i-- > 1;) {
		uint32_t max = values[0];

		values[0] = values[i];
		values[i] = max;
		sift(values, i, 0);
	}
}

/* Returns the integer square root, rounded down. */
static uint64_t root(uint64_t value)
{
	uint64_t result = 0;

	for (uint64_t bit = 1ul << 31; bit; bit >>= 1)
		if ((result + bit) * (result + bit) <= value)
			result += bit;
	return result;
}

/*
 * Returns the standard deviation. Distances from the mean are shifted down to 22 bits, so that the sum of the
 * squares of 2^20 of them fits a word.
 */
static uint64_t deviation(const uint32_t *values, uint64_t n, uint64_t mean, uint64_t max)
{
	unsigned int shift = 0;
	uint64_t squares = 0;

	while (max >> shift >> 22)
		shift++;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t distance = values[i] > mean ? values[i] - mean : mean - values[i];

		squares += (distance >> shift) * (distance >> shift);
	}
	return root(squares / n) << shift;
}

struct figure figure_of_values(uint32_t *values, uint64_t n)
{
	struct figure figure = { .n = n };

	sort(values, n);
	figure.min = values[0];
	figure.median = values[(n - 1) / 2];
	figure.p99 = values[(n * 99 + 99) / 100 - 1];
	figure.max = values[n - 1];
	for (uint64_t i = 0; i < n; i++)
		figure.mean += values[i];
	figure.mean /= n;
	figure.stddev = deviation(values, n, figure.mean, figure.max);
	return figure;
}

void figure_print(const struct figure *figure, const char *suite, const char *name,
		  const char *subject)
{
	limpet_print(
		"{\"figure\": {\"suite\": \"%s\", \"case\": \"%s\", \"subject\": \"%s\", "
		"\"unit\": \"ticks\", \"n\": %lu, \"min\": %lu, \"median\": %lu, \"p99\": %lu, "
		"\"max\": %lu, \"mean\": %lu, \"stddev\": %lu}}\n",
		suite, name, subject, figure->n, figure->min, figure->median, figure->p99,
		figure->max, figure->mean, figure->stddev);
	limpet_print(
		"%s of %s: median %lu.%lu µs, %lu.%lu to %lu.%lu µs, 99 of 100 at most %lu.%lu µs\n",
		name, subject, LIMPET_US(figure->median), LIMPET_US(figure->min),
		LIMPET_US(figure->max), LIMPET_US(figure->p99));
}

#define BUCKETS_OF_LINE 200 /* of at most 16 characters */

static unsigned int buckets_filled(const struct histogram *histogram)
{
	unsigned int filled = 0;

	for (unsigned int i = 0; i < HISTOGRAM_BUCKETS; i++)
		filled += histogram->bucket[i] != 0;
	return filled;
}

/* Returns the number of values in `group` buckets from `first` on. */
static uint64_t buckets_sum(const struct histogram *histogram, unsigned int first,
			    unsigned int group)
{
	uint64_t sum = 0;

	for (unsigned int i = first; i < first + group && i < HISTOGRAM_BUCKETS; i++)
		sum += histogram->bucket[i];
	return sum;
}

void figure_print_histogram(const struct histogram *histogram, const char *suite, const char *name,
			    const char *subject)
{
	unsigned int group = (buckets_filled(histogram) + BUCKETS_OF_LINE - 1) / BUCKETS_OF_LINE;
	const char *comma = "";

	limpet_print("{\"histogram\": {\"suite\": \"%s\", \"case\": \"%s\", \"subject\": \"%s\", "
		     "\"unit\": \"ticks\", \"ticks_per_ms\": %lu, \"buckets\": [",
		     suite, name, subject, limpet_info()->ticks_per_ms);
	for (unsigned int i = 0; group && i < HISTOGRAM_BUCKETS; i += group) {
		uint64_t count = buckets_sum(histogram, i, group);

		if (!count)
			continue;
		limpet_print("%s[%lu, %lu]", comma, histogram_floor(i), count);
		comma = ", ";
	}
	limpet_print("]}}\n");
}

void histogram_print(const struct histogram *histogram, const char *name)
{
	figure_print_histogram(histogram, "component", name, limpet_info()->name);
}
