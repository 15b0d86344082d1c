// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>

#include <runtime/histogram.h>

#include "figure.h"

#define BUCKETS_OF_LINE 32 /* a line must be short: see tests/harness/README.md */

/* Prints at most BUCKETS_OF_LINE filled buckets from `at` as one line. Returns the bucket of the next line. */
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

void figure_print_histogram(const struct figure *figure, const uint64_t *samples,
			    unsigned long count)
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
