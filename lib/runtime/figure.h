/* SPDX-License-Identifier: BSD-2-Clause */
/* Measured values, summed up, and printed so that people and programs can read them. */
#ifndef RUNTIME_FIGURE_H
#define RUNTIME_FIGURE_H

#include <runtime/histogram.h>
#include <runtime/types.h>

struct figure {
	uint64_t n, min, median, p99, max, mean, stddev;
};

/* Sums up `n` values, of which there is at least one; sorts them. */
struct figure figure_of_values(uint32_t *values, uint64_t n);
/*
 * Prints one line for programs, {"figure": {"suite": ..., ...}}, and one in words. The unit is
 * ticks. For components that import log.
 */
void figure_print(const struct figure *figure, const char *suite, const char *name,
		  const char *subject);
/*
 * Prints one line for programs: {"histogram": {"suite": ..., "case": ..., "subject": ..., "unit":
 * "ticks", "buckets": [[floor, count], ...]}}, of the buckets that are not empty. When these are
 * more than fit a line, neighbours are put together.
 */
void figure_print_histogram(const struct histogram *h, const char *suite, const char *name,
			    const char *subject);

#endif
