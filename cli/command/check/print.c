// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <math.h>

#include <cli/command/check/check.h>
#include <cli/common/json.h>
#include <client/device.h>

#define CLOCK_SLACK                                                                                \
	0.001 /* tolerated difference of the time stamp counter and Linux's clock, as a ratio */

const char *check_verdict_word(enum check_verdict verdict)
{
	static const char *const words[] = {
		[CHECK_IDLE] = "?",
		[CHECK_REALTIME] = "yes",
		[CHECK_NARROW] = "narrow",
		[CHECK_FAILED] = "no",
	};

	return words[verdict];
}

static const char *name_of(const struct check *check, const struct check_thread *thread)
{
	return image_component_name(&check->snapshot.image, thread->home);
}

double check_margin_us(const struct check *check, const struct check_thread *thread)
{
	return check_us(check, thread->period) - check_us(check, thread->now.response.max);
}

/* Returns the ratio by which the time stamp counter runs faster than Linux measured at boot; 0 if it is unknown. */
static double clock_error(const struct check *check)
{
	const struct machine *before = check->before, *after = check->after;
	const double ns = (double)(after->ns - before->ns);
	const double believed = (double)check_ns(check, after->ticks - before->ticks);

	return ns > 0 ? believed / ns - 1 : 0;
}

const char *check_mode_sentence(const struct check *check)
{
	return check->snapshot.info.mode == LIMPET_MODE_BENEATH
		       ? "Beneath, these times do not depend on Linux, but on the machine and on the "
			 "system's own threads."
		       : "Beside, Linux decides when components get the CPU: these are the worst cases "
			 "that were seen, not a bound.";
}

static void head_print(FILE *out, const struct check *check)
{
	const bool beneath = check->snapshot.info.mode == LIMPET_MODE_BENEATH;

	fprintf(out, "%s: %s Linux, checked for %.1f s\n",
		image_system_name(&check->snapshot.image), beneath ? "beneath" : "beside",
		check->seconds);
	fprintf(out, "%s\n", check_mode_sentence(check));
}

static void table_print(FILE *out, const struct check *check)
{
	fprintf(out,
		"\nCPU ID  COMPONENT         PERIOD µs       JOBS  MISSED    LATE µs     RUN µs   "
		"ENDED µs   MARGIN µs  REAL-TIME\n");
	for (const struct check_thread *thread = check->thread;
	     thread < check->thread + check->threads; thread++)
		fprintf(out,
			"%3u %2u  %-16.16s %10.1f %10" PRIu64 " %7" PRIu64
			" %10.1f %10.1f %10.1f %11.1f  %s\n",
			thread->cpu, thread->id, name_of(check, thread),
			check_us(check, thread->period), check_jobs(thread), check_missed(thread),
			check_us(check, thread->now.late.max), check_us(check, thread->now.run.max),
			check_us(check, thread->now.response.max), check_margin_us(check, thread),
			check_verdict_word(thread->verdict));
	fprintf(out,
		"LATE, RUN and ENDED are the maxima of all jobs: start after the release, run time, and "
		"ended after the release.\n");
}

/* Prints the verdict of a thread, and its worst job. */
static void result_print(FILE *out, const struct check *check, const struct check_thread *thread)
{
	const double margin = check_margin_us(check, thread);
	const uint64_t missed = check_missed(thread);

	switch (thread->verdict) {
	case CHECK_IDLE:
		fprintf(out, "not known, because no job ended in %.1f s. Check for longer (--for).",
			check->seconds);
		return;
	case CHECK_REALTIME:
		fprintf(out, "real-time");
		break;
	case CHECK_NARROW:
		fprintf(out, "real-time, with a narrow margin");
		break;
	case CHECK_FAILED:
		fprintf(out, "not real-time");
		break;
	}
	if (!check_jobs(thread))
		fprintf(out, ".");
	else if (margin >= 0)
		fprintf(out,
			". The worst of %" PRIu64
			" jobs ended %.1f µs after its release, %.1f µs before its deadline.",
			check_jobs(thread), check_us(check, thread->now.response.max), margin);
	else
		fprintf(out,
			". %" PRIu64 " deadline%s of %" PRIu64
			" jobs %s missed. The worst job ended %.1f µs after its deadline.",
			missed, missed == 1 ? "" : "s", check_jobs(thread),
			missed == 1 ? "was" : "were", -margin);
}

void check_print_thread(FILE *out, const struct check *check, const struct check_thread *thread)
{
	fprintf(out, "%s, thread %u: ", name_of(check, thread), thread->id);
	result_print(out, check, thread);
	fputc('\n', out);
	if (thread->verdict == CHECK_IDLE)
		return;
	if (check->late_ns && check_ns(check, thread->now.late.max) > check->late_ns)
		fprintf(out, "  limit:  It began up to %.1f µs late, and --late allows %.1f µs.\n",
			check_us(check, thread->now.late.max), (double)check->late_ns / 1000);
	if (thread->cause.kind != CAUSE_NONE)
		fprintf(out, "  cause:  %s\n  remedy: %s\n", thread->cause.found,
			thread->cause.remedy);
}

static void smis_print(FILE *out, const struct check *check)
{
	for (unsigned int cpu = 0; cpu < check->snapshot.info.cpus; cpu++) {
		const struct check_thread *hwlat = check_hwlat(check, cpu);
		struct history_change whole;

		history_whole(&check->history[cpu], &whole);
		if (whole.smis)
			fprintf(out, "CPU %u had %" PRId64 " SMIs in %.0f s.\n",
				check->snapshot.info.cpu[cpu], whole.smis, check->seconds);
		if (hwlat)
			fprintf(out,
				"Component hwlat looked for stops of CPU %u for %.1f %% of the time: the "
				"longest was %.1f µs.\n",
				check->snapshot.info.cpu[cpu],
				100 *
					check_us(check, check_quantile(&hwlat->before.run,
								       &hwlat->now.run, 500)) /
					check_us(check, hwlat->period),
				check_us(check, check_gap(hwlat)));
	}
}

static void cpus_print(FILE *out, const struct check *check)
{
	struct history_change whole;

	history_whole(&check->history[0], &whole);
	if (history_cpus_changed(&whole))
		fprintf(out, "The CPUs of Linux changed from %s to %s during the check.\n",
			whole.before, whole.after);
}

void check_print_notes(FILE *out, const struct check *check)
{
	const double error = clock_error(check);

	if (check->ended)
		fprintf(out,
			"The system ended while it was checked: `limpet log` and dmesg say why.\n");
	if (error > CLOCK_SLACK || error < -CLOCK_SLACK)
		fprintf(out,
			"The time stamp counter runs %.2f %% %s than Linux measured at its start, so all "
			"periods are wrong by that. Boot Linux with tsc_early_khz=%.0f.\n",
			fabs(error) * 100, error > 0 ? "faster" : "slower",
			(double)check->snapshot.info.ticks_per_ms * (1 + error));
	smis_print(out, check);
	cpus_print(out, check);
	if (!check->traced)
		fprintf(out,
			"The system has no trace rings ([system] trace), so causes within it are "
			"unknown.\n");
	if (check->unchecked)
		fprintf(out, "%u other threads have no period and were not judged.\n",
			check->unchecked);
}

void check_print(FILE *out, const struct check *check)
{
	head_print(out, check);
	table_print(out, check);
	for (unsigned int i = 0; i < check->threads; i++) {
		fputc('\n', out);
		check_print_thread(out, check, &check->thread[i]);
	}
	fputc('\n', out);
	check_print_notes(out, check);
}

static void json_times(struct json *json, const struct check *check, const char *name,
		       const struct limpet_job_times *before, const struct limpet_job_times *now)
{
	json_object(json, name);
	json_real(json, "median_us", check_us(check, check_quantile(before, now, 500)));
	json_real(json, "p99_us", check_us(check, check_quantile(before, now, 990)));
	json_real(json, "max_us", check_us(check, now->max));
	json_object_end(json);
}

/* Writes the sentences about a thread that the text output has before the cause. */
static void json_result(struct json *json, const struct check *check,
			const struct check_thread *thread)
{
	char text[CHECK_TEXT] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	if (out) {
		result_print(out, check, thread);
		fclose(out);
	}
	json_text(json, "result", text);
}

static void json_thread(struct json *json, const struct check *check,
			const struct check_thread *thread)
{
	json_object(json, NULL);
	json_number(json, "cpu", thread->cpu);
	json_number(json, "id", thread->id);
	json_text(json, "component", name_of(check, thread));
	json_real(json, "period_us", check_us(check, thread->period));
	json_number(json, "jobs", check_jobs(thread));
	json_number(json, "missed", check_missed(thread));
	json_times(json, check, "late", &thread->before.late, &thread->now.late);
	json_times(json, check, "run", &thread->before.run, &thread->now.run);
	json_times(json, check, "response", &thread->before.response, &thread->now.response);
	json_real(json, "margin_us", check_margin_us(check, thread));
	json_result(json, check, thread);
	json_text(json, "realtime", check_verdict_word(thread->verdict));
	json_text(json, "cause", cause_word(thread->cause.kind));
	if (thread->cause.kind != CAUSE_NONE) {
		json_text(json, "found", thread->cause.found);
		json_text(json, "remedy", thread->cause.remedy);
	}
	json_object_end(json);
}

/* Writes the sums of all CPUs. */
static void json_machine(struct json *json, const struct check *check)
{
	uint64_t smis = 0, nmis = 0, gap = 0;
	bool hwlat_runs = false;
	struct history_change whole;

	for (unsigned int cpu = 0; cpu < check->snapshot.info.cpus; cpu++) {
		const struct check_thread *hwlat = check_hwlat(check, cpu);

		history_whole(&check->history[cpu], &whole);
		smis += (uint64_t)whole.smis;
		nmis += (uint64_t)whole.nmis;
		hwlat_runs |= hwlat != NULL;
		if (hwlat && check_gap(hwlat) > gap)
			gap = check_gap(hwlat);
	}
	history_whole(&check->history[0], &whole);
	json_bool(json, "cpus_changed", history_cpus_changed(&whole));
	json_number(json, "smis", smis);
	json_number(json, "nmis", nmis);
	if (hwlat_runs)
		json_real(json, "longest_gap_us", check_us(check, gap));
}

void check_print_json(FILE *out, const struct check *check)
{
	struct json json;

	json_begin(&json, out);
	json_text(&json, "system", image_system_name(&check->snapshot.image));
	json_text(&json, "mode",
		  check->snapshot.info.mode == LIMPET_MODE_BENEATH ? "beneath" : "beside");
	json_real(&json, "seconds", check->seconds);
	json_bool(&json, "ended", check->ended);
	json_real(&json, "clock_error_percent", clock_error(check) * 100);
	json_number(&json, "events_lost", check->lost);
	json_machine(&json, check);
	json_array(&json, "threads");
	for (unsigned int i = 0; i < check->threads; i++)
		json_thread(&json, check, &check->thread[i]);
	json_array_end(&json);
	json_end(&json);
}
