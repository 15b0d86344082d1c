// SPDX-License-Identifier: GPL-2.0
/* The histograms of a thread's jobs. */
#include <inttypes.h>

#include <cli/command/hist/hist.h>
#include <cli/command/report/survey.h>

/* Takes the jobs of the check. Bucket 0 is drawn from half of its end, because the axis has no 0. */
static void series_fill(struct hist *hist, const struct check *check,
			const struct limpet_job_times *before, const struct limpet_job_times *now)
{
	unsigned int first = 0, end = LIMPET_JOB_BUCKETS;

	while (first < end && now->bucket[first] == before->bucket[first])
		first++;
	while (end > first && now->bucket[end - 1] == before->bucket[end - 1])
		end--;
	if (first == end)
		return;
	for (unsigned int n = first; n <= end; n++) {
		const uint64_t ticks = n ? limpet_job_floor(n) : limpet_job_floor(1) / 2;
		const uint64_t count = n < end ? now->bucket[n] - before->bucket[n] : 0;

		hist->bucket[hist->buckets++] =
			(struct hist_bucket){ check_ns(check, ticks), count };
		hist->count += count;
	}
}

void times_draw(FILE *out, const struct survey *survey, unsigned int thread, const char *title,
		bool alone)
{
	static struct hist_bucket buckets[SURVEY_TIMES][LIMPET_JOB_BUCKETS + 1];
	const struct check *check = &survey->check;
	const struct check_thread *checked = &check->thread[thread];
	const struct limpet_jobs *before = &checked->before, *now = &checked->now;
	const struct {
		const char *label;
		const struct limpet_job_times *before, *now;
		uint64_t limit;
	} times[SURVEY_TIMES] = {
		[SURVEY_LATE] = { "Lateness", &before->late, &now->late, check->late_ns },
		[SURVEY_RUN] = { "Run time", &before->run, &now->run, 0 },
		[SURVEY_RESPONSE] = { "Response time", &before->response, &now->response,
				      check_ns(check, checked->period) },
	};
	char note[SURVEY_TIMES][SURVEY_TEXT];
	struct hists hists = { .count = SURVEY_TIMES };

	for (unsigned int i = 0; i < SURVEY_TIMES; i++) {
		struct hist *hist = &hists.series[i];

		*hist = (struct hist){ .unit = "ns", .closed = true, .bucket = buckets[i] };
		snprintf(hist->label, sizeof(hist->label), "%s", times[i].label);
		hist->limit = times[i].limit;
		series_fill(hist, check, times[i].before, times[i].now);
		snprintf(
			note[i], sizeof(note[i]),
			"half of the jobs at most %.1f µs, 99 %% at most %.1f µs, all at most %.1f µs",
			check_us(check, check_quantile(times[i].before, times[i].now, 500)),
			check_us(check, check_quantile(times[i].before, times[i].now, 990)),
			check_us(check, times[i].now->max));
		if (hist->count)
			hist->note = note[i];
	}
	hist_svg(out, &hists, title, alone);
}
