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

#include "figure.h"

#define SAMPLES_MAX 1000000ul

static uint64_t *samples;
static unsigned long count;

static void add(uint64_t value, unsigned long times)
{
	while (times-- && count < SAMPLES_MAX)
		samples[count++] = value;
}

/*
 * For values above the limit, cyclictest reports only their number, and the maximum and the mean of
 * all values. The maximum is stored unchanged. The others are stored as their mean.
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

/*
 * Reads lines "VALUE TIMES", then comments. The first comment is "# Total: N". The last one that is
 * used has the overflows.
 */
static void read_histogram(FILE *file)
{
	unsigned long value;
	unsigned long times;
	unsigned long mean = 0;
	unsigned long max = 0;
	bool comments = false;
	char line[256]; /* the last comment is longer, and not used */

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
	figure_print_histogram(&figure, samples, count);
	return 0;
}
