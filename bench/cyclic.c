// SPDX-License-Identifier: GPL-2.0
/*
 * Turns cyclictest's histogram of nanoseconds (-N -h LIMIT --histfile FILE) into a figure and a
 * histogram of the kind that Limpet's components print.
 *
 *   cyclic SUBJECT FILE
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <runtime/histogram.h>

#include "figure.h"

#define SAMPLES_MAX 1000000ul
#define BUCKETS_OF_LINE 32 /* a line must be short: see tests/harness/README.md */

static uint64_t *samples;
static unsigned long count;

static void add(uint64_t value, unsigned long times)
{
	while (times-- && count < SAMPLES_MAX)
		samples[count++] = value;
}

/*
 * Values above the limit are known by their number, their greatest and the mean of all values
 * only: the greatest stands as it is, for the others stands their mean.
 */
static void add_overflows(unsigned long times, unsigned long max, unsigned long mean)
{
	double rest = (double)mean * (double)(count + times) - (double)max;

	for (unsigned long i = 0; i < count; i++)
		rest -= (double)samples[i];
	add(max, 1);
	if (times > 1)
		add(rest > 0 ? (uint64_t)(rest / (double)(times - 1)) : max, times - 1);
}

/* Lines "VALUE TIMES", then comments; the first is "# Total: N", the last used the overflows. */
static void read_histogram(FILE *file)
{
	unsigned long value;
	unsigned long times;
	unsigned long mean = 0;
	unsigned long max = 0;
	bool comments = false;
	char line[256]; /* the last comment is longer, and of no use */

	while (fgets(line, sizeof(line), file)) {
		comments |= !strncmp(line, "# Total", 7);
		if (!comments && sscanf(line, "%lu %lu", &value, &times) == 2)
			add(value, times);
		sscanf(line, "# Avg Latencies: %lu", &mean);
		sscanf(line, "# Max Latencies: %lu", &max);
		if (sscanf(line, "# Histogram Overflows: %lu", &times) == 1 && times)
			add_overflows(times, max, mean);
	}
}

/* Prints some filled buckets from `at` as one line; returns where to go on. */
static unsigned int print_part(const struct figure *figure, const struct histogram *histogram,
			       unsigned int at, unsigned int part, unsigned int parts)
{
	const char *comma = "";

	printf("{\"histogram\": {\"case\": \"%s\", \"subject\": \"%s\", \"part\": %u, "
	       "\"of\": %u, \"buckets\": [",
	       figure->name, figure->subject, part, parts);
	for (unsigned int n = 0; n < BUCKETS_OF_LINE && at < HISTOGRAM_BUCKETS; at++) {
		if (!histogram->bucket[at])
			continue;
		printf("%s[%lu, %u]", comma, histogram_floor(at), histogram->bucket[at]);
		comma = ", ";
		n++;
	}
	printf("]}}\n");
	fflush(stdout);
	return at;
}

static void print_histogram(const struct figure *figure)
{
	static struct histogram histogram;
	unsigned int filled = 0;
	unsigned int parts;
	unsigned int at = 0;

	histogram_clear(&histogram);
	for (unsigned long i = 0; i < count; i++)
		histogram_add(&histogram, samples[i]);
	for (unsigned int i = 0; i < HISTOGRAM_BUCKETS; i++)
		filled += histogram.bucket[i] != 0;
	parts = (filled + BUCKETS_OF_LINE - 1) / BUCKETS_OF_LINE;
	for (unsigned int part = 1; part <= parts; part++)
		at = print_part(figure, &histogram, at, part, parts);
}

int main(int argc, char **argv)
{
	struct figure figure = { "table1", "timer", argc > 1 ? argv[1] : "cyclictest-idle" };
	FILE *file = argc > 2 ? fopen(argv[2], "re") : stdin;

	if (!file)
		figure_die(argv[2]);
	samples = figure_samples(SAMPLES_MAX);
	read_histogram(file);
	if (!count) {
		fprintf(stderr, "cyclic: no samples\n");
		return 1;
	}
	figure_print(&figure, samples, count);
	print_histogram(&figure);
	return 0;
}
