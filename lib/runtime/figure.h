/* SPDX-License-Identifier: BSD-2-Clause */
/* Summarizes measured values and prints them for people and programs. */
#ifndef RUNTIME_FIGURE_H
#define RUNTIME_FIGURE_H

#include <runtime/histogram.h>
#include <runtime/types.h>

/* Summary of `n` values. `p99` is their 99th percentile. */
struct figure {
	uint64_t n, min, median, p99, max, mean, stddev;
};

/* Sorts and summarizes `n` values, at least one. */
struct figure figure_of_values(uint32_t *values, uint64_t n);
/*
 * Prints a line of JSON for programs, {"figure": {"suite": ..., ...}}, in ticks, and a line of text for people, in
 * microseconds. `limpet log` omits the former. For components that import log.
 */
void figure_print(const struct figure *figure, const char *suite, const char *name,
		  const char *subject);
/*
 * Prints one line for programs: {"histogram": {"suite": ..., "case": ..., "subject": ..., "unit":
 * "ticks", "buckets": [[floor, count], ...]}}, for the buckets that are not empty. If these do not
 * fit into a line, neighbours are merged.
 */
void figure_print_histogram(const struct histogram *histogram, const char *suite, const char *name,
			    const char *subject);
/*
 * Prints a histogram of a component for `limpet hist`, which shows it as "NAME COMPONENT". `name`
 * has at most 31 printable ASCII characters without " and \. For components that import log.
 */
void histogram_print(const struct histogram *histogram, const char *name);

#endif
