// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/histogram.h>
#include <runtime/memory.h>

void histogram_clear(struct histogram *histogram)
{
	memset(histogram, 0, sizeof(*histogram));
	histogram->min = ~0ul;
}

static unsigned int bucket_of(uint64_t value)
{
	unsigned int shift;

	if (value < HISTOGRAM_FINE << HISTOGRAM_FINE_SHIFT)
		return (unsigned int)(value >> HISTOGRAM_FINE_SHIFT);
	if (value >> 32)
		return HISTOGRAM_BUCKETS - 1;
	shift = 63 - (unsigned int)__builtin_clzl(value);
	return HISTOGRAM_FINE + (shift - HISTOGRAM_TOP_SHIFT) * HISTOGRAM_PARTS +
	       (unsigned int)(value >> (shift - 4) & (HISTOGRAM_PARTS - 1));
}

void histogram_add(struct histogram *histogram, uint64_t value)
{
	histogram->count++;
	histogram->sum += value;
	histogram->min = value < histogram->min ? value : histogram->min;
	histogram->max = value > histogram->max ? value : histogram->max;
	histogram->bucket[bucket_of(value)]++;
}

uint64_t histogram_floor(unsigned int bucket)
{
	unsigned int above = bucket - HISTOGRAM_FINE;

	if (bucket < HISTOGRAM_FINE)
		return (uint64_t)bucket << HISTOGRAM_FINE_SHIFT;
	return (uint64_t)(HISTOGRAM_PARTS + above % HISTOGRAM_PARTS)
	       << (HISTOGRAM_TOP_SHIFT - 4 + above / HISTOGRAM_PARTS);
}

static uint64_t clamp(uint64_t value, uint64_t low, uint64_t high)
{
	return value < low ? low : value > high ? high : value;
}

uint64_t histogram_quantile(const struct histogram *histogram, unsigned int permille)
{
	uint64_t wanted = (histogram->count * permille + 999) / 1000;
	uint64_t seen = 0;

	if (!histogram->count)
		return 0;
	for (unsigned int i = 0; i + 1 < HISTOGRAM_BUCKETS; i++) {
		seen += histogram->bucket[i];
		if (seen >= wanted)
			return clamp((histogram_floor(i) + histogram_floor(i + 1)) / 2,
				     histogram->min, histogram->max);
	}
	return histogram->max;
}

uint64_t histogram_mean(const struct histogram *histogram)
{
	return histogram->count ? histogram->sum / histogram->count : 0;
}
