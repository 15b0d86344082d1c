// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <cli/command/report/survey.h>
#include <cli/common/event.h>
#include <cli/common/report.h>
#include <cli/common/rings.h>
#include <client/device.h>

#define AROUND 6 /* events are kept for 1 / AROUND of the worst job's time before it and after it */

uint64_t survey_from(const struct survey_thread *kept)
{
	const uint64_t more = (kept->end - kept->release) / AROUND;

	return kept->release > more ? kept->release - more : 0;
}

uint64_t survey_to(const struct survey_thread *kept)
{
	return kept->end + (kept->end - kept->release) / AROUND;
}

static const struct limpet_job_times *times_of(const struct limpet_jobs *jobs,
					       enum survey_time which)
{
	const struct limpet_job_times *const times[SURVEY_TIMES] = {
		[SURVEY_LATE] = &jobs->late,
		[SURVEY_RUN] = &jobs->run,
		[SURVEY_RESPONSE] = &jobs->response,
	};

	return times[which];
}

static struct survey_span span_of(const struct limpet_job_times *before,
				  const struct limpet_job_times *now, uint64_t jobs)
{
	struct survey_span span = { .mean = (now->sum - before->sum) / jobs };
	bool found = false;

	for (unsigned int n = 0; n < LIMPET_JOB_BUCKETS; n++) {
		if (now->bucket[n] == before->bucket[n])
			continue;
		if (!found)
			span.low = limpet_job_floor(n);
		found = true;
		span.high = n + 1 < LIMPET_JOB_BUCKETS && limpet_job_floor(n + 1) < now->max
				    ? limpet_job_floor(n + 1)
				    : now->max;
	}
	return span;
}

static void sample_take(struct survey_thread *kept, const struct limpet_jobs *now, double seconds)
{
	struct survey_sample *sample = &kept->sample[kept->samples++];

	if (now->count < kept->last.count) /* the thread was restarted */
		memset(&kept->last, 0, sizeof(kept->last));
	*sample = (struct survey_sample){ .seconds = seconds,
					  .jobs = now->count - kept->last.count,
					  .missed = now->missed - kept->last.missed };
	for (unsigned int i = 0; sample->jobs && i < SURVEY_TIMES; i++)
		sample->time[i] = span_of(times_of(&kept->last, i), times_of(now, i), sample->jobs);
	kept->last = *now;
}

/*
 * Returns the data of the threads, or NULL without memory. Must not be called before the check has
 * found the threads.
 */
static struct survey_thread *threads_kept(struct survey *survey)
{
	if (survey->thread)
		return survey->thread;
	survey->thread = calloc(survey->check.threads + 1, sizeof(*survey->thread));
	for (unsigned int i = 0; survey->thread && i < survey->check.threads; i++)
		survey->thread[i].last = survey->check.thread[i].before;
	return survey->thread;
}

static void accounts_see(struct check *check, double seconds)
{
	struct survey *survey = (struct survey *)check;
	struct survey_thread *kept = threads_kept(survey);

	for (unsigned int i = 0; kept && i < check->threads; i++)
		if (kept[i].samples < SURVEY_SAMPLES &&
		    seconds >= (kept[i].samples + 1) * survey->step)
			sample_take(&kept[i], &check->thread[i].now, seconds);
}

static void events_see(struct check *check, unsigned int cpu,
		       const struct limpet_trace_event *event, size_t count)
{
	struct survey *survey = (struct survey *)check;

	for (size_t i = 0; i < count; i++)
		if (event_kind(&event[i]) == LIMPET_TRACE_EVENT &&
		    event_thread(&event[i]) < LIMPET_THREADS_MAX)
			survey->woken[cpu * LIMPET_THREADS_MAX + event_thread(&event[i])]++;
}

static void worst_see(struct check *check, const struct check_thread *thread,
		      const struct timeline *timeline, uint64_t release, uint64_t end)
{
	struct survey *survey = (struct survey *)check;
	struct survey_thread *kept = threads_kept(survey);

	if (!kept)
		return;
	kept += thread - check->thread;
	free(kept->event);
	kept->release = release;
	kept->end = end;
	kept->event = timeline_copy(timeline, survey_from(kept), survey_to(kept), &kept->events);
	if (!kept->event)
		kept->events = 0;
	kept->known = timeline_end(timeline);
}

/* Returns the counters of all channels, or NULL without memory. */
static struct channel_load *loads_read(const struct image *image, const char *root)
{
	const struct limpet_image *header = image_header(image);
	const unsigned int channels = header ? header->channels : 0;
	struct channel_load *loads = calloc(channels + 1, sizeof(*loads));

	for (unsigned int i = 0; loads && i < channels; i++)
		loads[i] = channel_load_read(root, image, image_channel(image, i));
	return loads;
}

void survey_loads_end(struct survey *survey, const char *root)
{
	free(survey->loads_after);
	survey->loads_after = loads_read(&survey->check.snapshot.image, root);
}

int survey_prepare(struct survey *survey, const char *root, double seconds)
{
	struct check *check = &survey->check;

	survey_machine_read(&survey->machine, root);
	survey->woken = calloc((size_t)check->snapshot.info.cpus * LIMPET_THREADS_MAX,
			       sizeof(*survey->woken));
	survey->step = seconds / (SURVEY_SAMPLES + 1);
	survey->loads_before = loads_read(&check->snapshot.image, root);
	check->any = true;
	check->hooks = (struct check_hooks){ accounts_see, events_see, worst_see };
	return survey->woken ? 0 : -ENOMEM;
}

int survey_collect(struct survey *survey, int fd, const struct check_options *options)
{
	struct check *check = &survey->check;
	const double began = seconds_now();
	int code;

	if (survey_prepare(survey, "", options->seconds))
		return report("There is not enough memory for the report.");
	code = check_measure(check, fd, options);
	if (code != COMMAND_OK)
		return code;
	if (!threads_kept(survey))
		return report("There is not enough memory for the report.");
	if (limpet_stat(fd, &survey->after) < 0)
		check->ended = true;
	survey_loads_end(survey, "");
	survey->span = seconds_now() - began;
	check_judge(check);
	return COMMAND_OK;
}

void survey_release(struct survey *survey)
{
	for (unsigned int i = 0; survey->thread && i < survey->check.threads; i++)
		free(survey->thread[i].event);
	free(survey->thread);
	free(survey->woken);
	free(survey->loads_before);
	free(survey->loads_after);
	limpet_stat_free(&survey->after);
	check_release(&survey->check);
	snapshot_release(&survey->check.snapshot);
}

uint64_t survey_woken(const struct survey *survey, unsigned int component)
{
	const struct limpet_stat *stat = &survey->check.snapshot.stat;
	uint64_t sum = 0;

	for (unsigned int i = 0; i < stat->threads; i++)
		if (stat->thread[i].home == component)
			sum += survey->woken[stat->thread[i].cpu * LIMPET_THREADS_MAX +
					     stat->thread[i].id];
	return sum;
}

void survey_thread_name(const struct survey *survey, const struct check_thread *thread,
			char name[SURVEY_TEXT])
{
	snprintf(name, SURVEY_TEXT, "%s #%u",
		 image_component_name(&survey->check.snapshot.image, thread->home), thread->id);
}
