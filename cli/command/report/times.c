// SPDX-License-Identifier: GPL-2.0
/* Draws the histograms of a thread's jobs. */
#include <inttypes.h>

#include <cli/command/hist/hist.h>
#include <cli/command/report/survey.h>

void times_draw(FILE *out, const struct survey *survey, unsigned int thread, const char *title,
		bool alone)
{
	static struct hist_bucket buckets[SURVEY_TIMES][HIST_JOBS];
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

		*hist = (struct hist){ .bucket = buckets[i] };
		snprintf(hist->label, sizeof(hist->label), "%s", times[i].label);
		hist->limit = times[i].limit;
		hist_jobs(hist, times[i].before, times[i].now);
		snprintf(note[i], sizeof(note[i]),
			 "median at most %.1f µs, 99 %% at most %.1f µs, maximum %.1f µs",
			 check_us(check, check_quantile(times[i].before, times[i].now, 500)),
			 check_us(check, check_quantile(times[i].before, times[i].now, 990)),
			 check_us(check, times[i].now->max));
		if (hist->count)
			hist->note = note[i];
	}
	hist_scale(&hists, check->snapshot.info.ticks_per_ms);
	hist_svg(out, &hists, title, alone);
}
