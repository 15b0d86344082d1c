// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include <cli/command/hist/hist.h>

static uint64_t ns_of(uint64_t ticks, uint64_t ticks_per_ms)
{
	unsigned __int128 ns = (unsigned __int128)ticks * 1000000 / ticks_per_ms;

	return ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

/* Converts the floors, and merges buckets whose floors become equal. */
static void series_scale(struct hist *hist, uint64_t ticks_per_ms)
{
	unsigned int kept = 0;

	for (unsigned int i = 0; i < hist->buckets; i++) {
		struct hist_bucket bucket = hist->bucket[i];

		bucket.floor = ns_of(bucket.floor, ticks_per_ms);
		if (kept && hist->bucket[kept - 1].floor == bucket.floor)
			hist->bucket[kept - 1].count += bucket.count;
		else
			hist->bucket[kept++] = bucket;
	}
	hist->buckets = kept;
	strcpy(hist->unit, "ns");
}

void hist_scale(struct hists *hists, uint64_t ticks_per_ms)
{
	for (unsigned int i = 0; i < hists->count; i++) {
		struct hist *hist = &hists->series[i];
		const uint64_t rate = hist->ticks_per_ms ? hist->ticks_per_ms : ticks_per_ms;

		if (rate && !strcmp(hist->unit, "ticks"))
			series_scale(hist, rate);
	}
}
