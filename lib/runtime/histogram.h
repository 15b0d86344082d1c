/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A histogram of times. It has 512 buckets of 64 ticks up to 32,768 ticks, then 16 buckets for each
 * doubling, so a quantile is exact to 64 ticks below 32,768 and to 6 % above. Adding takes constant
 * time.
 */
#ifndef RUNTIME_HISTOGRAM_H
#define RUNTIME_HISTOGRAM_H

#include <runtime/types.h>

#define HISTOGRAM_FINE_SHIFT 6
#define HISTOGRAM_FINE 512
#define HISTOGRAM_TOP_SHIFT 15 /* log2 of the first value that is not in a fine bucket */
#define HISTOGRAM_PARTS 16     /* buckets for each doubling above it */
#define HISTOGRAM_BUCKETS (HISTOGRAM_FINE + 17 * HISTOGRAM_PARTS)

struct histogram {
	uint64_t count;
	uint64_t sum;
	uint64_t min;
	uint64_t max;
	uint32_t bucket[HISTOGRAM_BUCKETS];
};

/* Empties a histogram. */
void histogram_clear(struct histogram *histogram);
/* Counts one value. Values of 2^32 and above are in the last bucket. */
void histogram_add(struct histogram *histogram, uint64_t value);
/* Returns the lowest value of a bucket. `bucket` is below HISTOGRAM_BUCKETS. */
uint64_t histogram_floor(unsigned int bucket);
/*
 * Returns the quantile `permille` of the values: the middle of its bucket, limited to min and max.
 * Returns 0 if the histogram is empty.
 */
uint64_t histogram_quantile(const struct histogram *histogram, unsigned int permille);
/* Returns the integer mean, or 0 if the histogram is empty. */
uint64_t histogram_mean(const struct histogram *histogram);

#endif
