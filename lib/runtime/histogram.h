/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A histogram of times: 512 buckets of 64 ticks up to 32,768, then 16 a doubling, so a quantile is
 * exact to 64 ticks below 32,768 and to 6 % above. Adding costs the same for every value.
 */
#ifndef RUNTIME_HISTOGRAM_H
#define RUNTIME_HISTOGRAM_H

#include <runtime/types.h>

#define HISTOGRAM_FINE_SHIFT 6
#define HISTOGRAM_FINE 512
#define HISTOGRAM_TOP_SHIFT 15 /* log2 of the first value that is not in a fine bucket */
#define HISTOGRAM_PARTS 16     /* buckets of a doubling above it */
#define HISTOGRAM_BUCKETS (HISTOGRAM_FINE + 17 * HISTOGRAM_PARTS)

struct histogram {
	uint64_t count;
	uint64_t sum;
	uint64_t min;
	uint64_t max;
	uint32_t bucket[HISTOGRAM_BUCKETS];
};

/* Empties it. */
void histogram_clear(struct histogram *histogram);
/* Counts one value; values of 2^32 and above fall into the last bucket. */
void histogram_add(struct histogram *histogram, uint64_t value);
/* Lowest value of a bucket. `bucket` is below HISTOGRAM_BUCKETS. */
uint64_t histogram_floor(unsigned int bucket);
/*
 * The value that `permille` of 1000 values are not above, to the width of a bucket: its middle,
 * held between min and max. 0 when it is empty.
 */
uint64_t histogram_quantile(const struct histogram *histogram, unsigned int permille);
/* Integer mean, 0 when it is empty. */
uint64_t histogram_mean(const struct histogram *histogram);

#endif
