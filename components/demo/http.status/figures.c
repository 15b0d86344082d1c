// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/memory.h>
#include <runtime/time.h>
#include <sync/lock.h>

#include "figures.h"

#define RING (FIGURES_SECONDS + 1)

static struct lock lock;
static struct figures sums;
static struct histogram ticks_taken;
static uint64_t began;		 /* time stamp */
static uint32_t in_second[RING]; /* second n at n % RING */
static uint64_t second;		 /* latest second in in_second */

void figures_begin(void)
{
	began = limpet_time();
	histogram_clear(&ticks_taken);
}

/* Clears the seconds that passed without an answer. */
static void second_advance(void)
{
	uint64_t now = (limpet_time() - began) / (limpet_info()->ticks_per_ms * 1000);

	if (now > second + RING)
		second = now - RING;
	while (second < now)
		in_second[++second % RING] = 0;
}

void figures_connected(void)
{
	lock_take(&lock);
	sums.connections++;
	sums.open++;
	if (sums.open > sums.open_max)
		sums.open_max = sums.open;
	lock_drop(&lock);
}

void figures_left(void)
{
	lock_take(&lock);
	if (sums.open)
		sums.open--;
	lock_drop(&lock);
}

void figures_served(word code, word bytes, word ticks)
{
	lock_take(&lock);
	second_advance();
	in_second[second % RING]++;
	sums.answers++;
	sums.bytes += bytes;
	sums.of_class[code < 400   ? FIGURES_GOOD
		      : code < 500 ? FIGURES_CLIENT_WRONG
				   : FIGURES_SERVER_WRONG]++;
	histogram_add(&ticks_taken, ticks);
	lock_drop(&lock);
}

static unsigned int bucket_of(uint64_t ns)
{
	unsigned int bucket = 0;

	while (bucket < FIGURES_TIMES - 1 && ns >= 1000ul << bucket)
		bucket++;
	return bucket;
}

static void times_copy(struct figures *to)
{
	memset(to->times, 0, sizeof(to->times));
	for (unsigned int i = 0; i < HISTOGRAM_BUCKETS; i++)
		if (ticks_taken.bucket[i])
			to->times[bucket_of(limpet_ticks_to_ns(histogram_floor(i)))] +=
				ticks_taken.bucket[i];
	to->median = limpet_ticks_to_ns(histogram_quantile(&ticks_taken, 500));
	to->p99 = limpet_ticks_to_ns(histogram_quantile(&ticks_taken, 990));
	to->max = ticks_taken.count ? limpet_ticks_to_ns(ticks_taken.max) : 0;
}

void figures_copy(struct figures *to)
{
	lock_take(&lock);
	second_advance();
	*to = sums;
	to->seconds = second;
	for (unsigned int i = 0; i < FIGURES_SECONDS; i++)
		to->per_second[i] = in_second[(second + 1 + i) % RING];
	times_copy(to);
	lock_drop(&lock);
}
