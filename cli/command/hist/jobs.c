// SPDX-License-Identifier: GPL-2.0
/* Makes histograms of the kernel's statistics of jobs. */
#include <string.h>

#include <cli/command/hist/hist.h>

void hist_jobs(struct hist *hist, const struct limpet_job_times *before,
	       const struct limpet_job_times *now)
{
	unsigned int first = 0, end = LIMPET_JOB_BUCKETS;

	strcpy(hist->unit, "ticks");
	hist->closed = true;
	hist->buckets = 0;
	hist->count = 0;
	while (first < end && now->bucket[first] == before->bucket[first])
		first++;
	while (end > first && now->bucket[end - 1] == before->bucket[end - 1])
		end--;
	for (unsigned int n = first; first < end && n <= end; n++) {
		const uint64_t count = n < end ? now->bucket[n] - before->bucket[n] : 0;

		hist->bucket[hist->buckets++] = (struct hist_bucket){
			.floor = n ? limpet_job_floor(n) : limpet_job_floor(1) / 2,
			.count = count,
		};
		hist->count += count;
	}
}
