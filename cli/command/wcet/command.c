// SPDX-License-Identifier: GPL-2.0
/* `limpet wcet` shows the run times of periodic threads' jobs, from the kernel's statistics. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include <cli/command/check/check.h>
#include <cli/command/hist/hist.h>
#include <cli/common/command.h>
#include <cli/common/file.h>
#include <cli/common/json.h>
#include <cli/common/near.h>
#include <cli/common/option.h>
#include <cli/common/report.h>
#include <cli/common/system.h>

/* The options of the command. */
struct view {
	const char *component; /* NULL: all components */
	const char *svg;       /* file for a picture; NULL: no picture */
	FILE *picture;	       /* this file, until it is written */
	struct check_options check;
	bool ticks, ascii;
};

static const char *name_of(const struct check *check, const struct check_thread *thread)
{
	return image_component_name(&check->snapshot.image, thread->home);
}

static bool shown(const struct check *check, const struct check_thread *thread,
		  const struct view *view)
{
	return !view->component || !strcmp(name_of(check, thread), view->component);
}

/* Returns a time in the unit of the view: µs or ticks. */
static double time_of(const struct check *check, const struct view *view, double ticks)
{
	return view->ticks ? ticks : ticks * 1000 / (double)check->snapshot.info.ticks_per_ms;
}

static double mean_ticks(const struct check_thread *thread)
{
	const uint64_t jobs = check_jobs(thread);

	return jobs ? (double)(thread->now.run.sum - thread->before.run.sum) / (double)jobs : 0;
}

static double quantile_ticks(const struct check_thread *thread, unsigned int permille)
{
	return (double)check_quantile(&thread->before.run, &thread->now.run, permille);
}

#define HEAD_TICKS                                                                                   \
	"CPU ID  COMPONENT           PERIOD       JOBS       MEAN       50 %       99 %     99.9 % " \
	"       MAX  MAX OF PERIOD"
#define HEAD_US                                                                                      \
	"CPU ID  COMPONENT        PERIOD µs       JOBS    MEAN µs    50 % µs    99 % µs  99.9 % µs " \
	"    MAX µs  MAX OF PERIOD"

static void table_print(const struct check *check, const struct view *view)
{
	const int digits = view->ticks ? 0 : 1;

	printf("%s: %s Linux, measured for %.1f s%s\n\n%s\n",
	       image_system_name(&check->snapshot.image),
	       check->snapshot.info.mode == LIMPET_MODE_BENEATH ? "beneath" : "beside",
	       check->seconds, view->ticks ? ", times in ticks" : "",
	       view->ticks ? HEAD_TICKS : HEAD_US);
	for (unsigned int i = 0; i < check->threads; i++) {
		const struct check_thread *thread = &check->thread[i];
		const double max = (double)thread->now.run.max;

		if (!shown(check, thread, view))
			continue;
		printf("%3u %2u  %-16.16s %9.*f %10" PRIu64 " %10.*f %10.*f %10.*f %10.*f %10.*f",
		       thread->cpu, thread->id, name_of(check, thread), digits,
		       time_of(check, view, (double)thread->period), check_jobs(thread), digits,
		       time_of(check, view, mean_ticks(thread)), digits,
		       time_of(check, view, quantile_ticks(thread, 500)), digits,
		       time_of(check, view, quantile_ticks(thread, 990)), digits,
		       time_of(check, view, quantile_ticks(thread, 999)), digits,
		       time_of(check, view, max));
		printf(" %12.2f %%\n", 100 * max / (double)thread->period);
	}
	printf("\nA job's run time contains the components that it invokes, and its scheduler. MAX is the longest\n"
	       "run that was measured, and not a bound: another input or another state of the caches can take\n"
	       "longer.\n");
}

static void thread_json(struct json *json, const struct check *check,
			const struct check_thread *thread, const struct view *view)
{
	json_object(json, NULL);
	json_number(json, "cpu", thread->cpu);
	json_number(json, "id", thread->id);
	json_text(json, "component", name_of(check, thread));
	json_number(json, "jobs", check_jobs(thread));
	json_real(json, "period", time_of(check, view, (double)thread->period));
	json_real(json, "mean", time_of(check, view, mean_ticks(thread)));
	json_real(json, "p50", time_of(check, view, quantile_ticks(thread, 500)));
	json_real(json, "p99", time_of(check, view, quantile_ticks(thread, 990)));
	json_real(json, "p999", time_of(check, view, quantile_ticks(thread, 999)));
	json_real(json, "max", time_of(check, view, (double)thread->now.run.max));
	json_array(json, "buckets");
	for (unsigned int n = 0; n < LIMPET_JOB_BUCKETS; n++) {
		const uint64_t count = thread->now.run.bucket[n] - thread->before.run.bucket[n];

		if (!count)
			continue;
		json_object(json, NULL);
		json_real(json, "from", time_of(check, view, (double)limpet_job_floor(n)));
		json_number(json, "count", count);
		json_object_end(json);
	}
	json_array_end(json);
	json_object_end(json);
}

static void json_print(const struct check *check, const struct view *view)
{
	struct json json;

	json_begin(&json, stdout);
	json_text(&json, "system", image_system_name(&check->snapshot.image));
	json_text(&json, "unit", view->ticks ? "ticks" : "us");
	json_real(&json, "seconds", check->seconds);
	json_array(&json, "threads");
	for (unsigned int i = 0; i < check->threads; i++)
		if (shown(check, &check->thread[i], view))
			thread_json(&json, check, &check->thread[i], view);
	json_array_end(&json);
	json_end(&json);
}

/* Fills one series for each thread that is shown, up to HIST_SERIES. */
static void series_fill(struct hists *hists, const struct check *check, const struct view *view)
{
	static struct hist_bucket buckets[HIST_SERIES][HIST_JOBS];

	for (unsigned int i = 0; i < check->threads && hists->count < HIST_SERIES; i++) {
		const struct check_thread *thread = &check->thread[i];
		struct hist *hist = &hists->series[hists->count];

		if (!shown(check, thread, view) || !check_jobs(thread))
			continue;
		snprintf(hist->label, sizeof(hist->label), "%s, thread %u", name_of(check, thread),
			 thread->id);
		hist->bucket = buckets[hists->count++];
		hist_jobs(hist, &thread->before.run, &thread->now.run);
	}
	if (!view->ticks)
		hist_scale(hists, check->snapshot.info.ticks_per_ms);
}

static int pictures(const struct check *check, struct view *view)
{
	static char note[HIST_SERIES][HIST_WORD + 40];
	static struct hists hists;
	FILE *file;

	series_fill(&hists, check, view);
	for (unsigned int i = 0; i < hists.count; i++) {
		struct hist *hist = &hists.series[i];

		snprintf(note[i], sizeof(note[i]), "%" PRIu64 " jobs, run times in %s", hist->count,
			 hist->unit);
		hist->note = note[i];
		if (view->check.json)
			continue;
		putchar('\n');
		hist_draw(stdout, hist, hist_columns(), hist_blocks() && !view->ascii);
	}
	if (!view->picture)
		return COMMAND_OK;
	file = view->picture;
	view->picture = NULL;
	return hist_write(file, &hists, view->svg, "run times of jobs", !view->check.json);
}

/* Prints the result. Returns COMMAND_REFUSED if a thread ended no job, or if the system ended. */
static int wcet_end(const struct check *check, struct view *view)
{
	int code = COMMAND_OK;
	unsigned int threads = 0;

	for (unsigned int i = 0; i < check->threads; i++)
		threads += shown(check, &check->thread[i], view);
	if (!threads)
		return report(
			"Component '%s' has no periodic thread. A thread becomes periodic with sched_periodic().",
			view->component);
	if (view->check.json)
		json_print(check, view);
	else
		table_print(check, view);
	code = pictures(check, view);
	if (check->ended)
		code = report(
			"The system ended during the measurement. See `limpet log` for the cause.");
	for (unsigned int i = 0; i < check->threads; i++)
		if (shown(check, &check->thread[i], view) && !check_jobs(&check->thread[i]))
			code = report(
				"%s, thread %u: No job ended in %.1f s. Measure for longer (--for).",
				name_of(check, &check->thread[i]), check->thread[i].id,
				check->seconds);
	return code;
}

/* Returns whether the system has the component, or reports the nearest name. */
static bool component_known(const struct image *image, const char *name)
{
	struct near near = { .word = name };

	for (unsigned int i = 0; image_component(image, i); i++) {
		if (!strcmp(image_component_name(image, i), name))
			return true;
		near_try(&near, image_component_name(image, i));
	}
	if (near.found)
		report("The system has no component '%s'. Did you mean '%s'?", name, near.found);
	else
		report("The system has no component '%s'. See `limpet ps`.", name);
	return false;
}

/* Opens the picture's file before the measurement, so that a wrong path fails early. */
static bool picture_prepare(struct view *view)
{
	if (view->svg)
		view->picture = file_prepare(view->svg);
	return !view->svg || view->picture;
}

static int wcet_run(struct check *check, struct view *view)
{
	int fd, code;

	if (view->component && !component_known(&check->snapshot.image, view->component))
		return COMMAND_REFUSED;
	fd = system_open();
	if (fd < 0)
		return system_report(fd);
	code = picture_prepare(view) ? check_measure(check, fd, &view->check) : COMMAND_REFUSED;
	if (code == COMMAND_OK)
		code = wcet_end(check, view);
	if (view->picture)
		file_discard(view->picture, view->svg);
	close(fd);
	return code;
}

static int wcet_main(const struct command *command, int argc, char **argv)
{
	static struct check check = { .silent = true };
	struct view view = { .check = CHECK_OPTIONS_DEFAULT };
	const struct command_option options[] = {
		CHECK_OPTIONS(view.check),
		OPTION_TEXT("svg", &view.svg),
		OPTION_FLAG("ticks", &view.ticks),
		OPTION_FLAG("ascii", &view.ascii),
		OPTION_END,
	};
	int code;

	if (!options_take(command, argc, argv, options, (struct command_arguments){ .high = 1 },
			  &code))
		return code;
	view.component = argv[optind]; /* NULL: no argument */
	if (!snapshot_take(&check.snapshot))
		return COMMAND_REFUSED;
	code = wcet_run(&check, &view);
	check_release(&check);
	snapshot_release(&check.snapshot);
	return code;
}

const struct command wcet_command = {
	.name = "wcet",
	.summary = "measures the run times of periodic threads' jobs",
	.arguments = "[COMPONENT] [--for TIME] [--load] [--svg FILE] [--ascii] [--ticks] [--json]",
	.help = "\n"
		"Measures the threads of COMPONENT, or all periodic threads.\n\n"
		"  --for TIME  duration of the measurement, as 60s, 5m or 500ms. Default: 10s\n"
		"  --load      keep all CPUs of Linux busy during the measurement\n"
		"  --svg FILE  also write a picture\n"
		"  --ascii     no block characters; the default if the locale lacks UTF-8\n"
		"  --ticks     show times in ticks of the time stamp counter; default: µs\n"
		"  --json      one JSON object\n\n"
		"The maximum is the longest run that was measured, not a bound. Exit codes: 0 all threads were\n"
		"measured, 1 a thread ended no job, or no such thread was found, 2 wrong usage.\n",
	.run = wcet_main,
};
