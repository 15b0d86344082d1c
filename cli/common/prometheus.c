// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include <cli/common/prometheus.h>
#include <cli/common/text.h>

#define PAGE 4096

/* A metric of each CPU, component or thread. */
struct metric {
	const char *name, *help; /* a name that ends in _total is a counter's */
	size_t offset;		 /* offset of the field in the record */
	size_t size;		 /* size of the field: 4 or 8 bytes */
	unsigned int factor;	 /* factor from the field to the metric's unit */
	/* In place of a field: the value. */
	void (*print)(FILE *out, const struct snapshot *snapshot, const void *record);
	/* Returns whether a thread has the metric. NULL: each record has it. */
	bool (*has)(const struct snapshot *snapshot, const void *record);
};

#define FIELD(type, field, times)                                                                  \
	.offset = offsetof(struct type, field), .size = sizeof(((struct type *)NULL)->field),      \
	.factor = (times)

static void head(FILE *out, const char *name, const char *help)
{
	size_t length = strlen(name);
	bool counter = length > 6 && !strcmp(name + length - 6, "_total");

	fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name,
		counter ? "counter" : "gauge");
}

static void single(FILE *out, const char *name, const char *help, double value)
{
	head(out, name, help);
	fprintf(out, "%s %.15g\n", name, value);
}

/* Starts a sample of a system with the label that all its samples have. */
static void print_begin(FILE *out, const char *name, const struct snapshot *snapshot)
{
	fprintf(out, "%s{id=\"%" PRIu32 "\"", name, snapshot->info.id);
}

/* Writes a label's value as UTF-8. Other bytes are read as Latin-1. */
static void print_character(FILE *out, const char *at, size_t length)
{
	unsigned char c = (unsigned char)*at;

	if (c == '\\' || c == '"')
		fprintf(out, "\\%c", c);
	else if (c == '\n')
		fputs("\\n", out);
	else if (length)
		fwrite(at, 1, length, out);
	else
		fprintf(out, "%c%c", 0xc0 | c >> 6, 0x80 | (c & 0x3f));
}

static void print_label(FILE *out, const char *label, const char *value)
{
	fprintf(out, "%s=\"", label);
	while (*value) {
		size_t length = text_utf8_length(value);

		print_character(out, value, length);
		value += length ? length : 1;
	}
	fputc('"', out);
}

/*
 * Uses the component's number if the image does not give its name, because a series must not appear
 * twice.
 */
static void print_component_label(FILE *out, const struct snapshot *snapshot, unsigned int index)
{
	if (image_component(&snapshot->image, index))
		print_label(out, "component", image_component_name(&snapshot->image, index));
	else
		fprintf(out, "component=\"?%u\"", index);
}

static void print_field(FILE *out, const struct metric *metric, const void *record)
{
	const char *at = (const char *)record + metric->offset;
	uint64_t value = metric->size == 4 ? *(const uint32_t *)(const void *)at
					   : *(const uint64_t *)(const void *)at;

	fprintf(out, "%" PRIu64, value * metric->factor);
}

static void print_value(FILE *out, const struct metric *metric, const struct snapshot *snapshot,
			const void *record)
{
	fputs("} ", out);
	if (metric->print)
		metric->print(out, snapshot, record);
	else
		print_field(out, metric, record);
	fputc('\n', out);
}

static void print_invocations(FILE *out, const struct snapshot *snapshot, const void *record)
{
	const struct limpet_stat_cpu *cpu = record;

	fprintf(out, "%" PRIu64, snapshot_invocations(snapshot, cpu->cpu));
}

static const struct metric cpu_metrics[] = {
	{ "limpet_cpu_invocations_total", "Invocations of components.",
	  .print = print_invocations },
	{ "limpet_cpu_kernel_calls_total", "Kernel calls, without invocations.",
	  FIELD(limpet_stat_cpu, calls, 1) },
	{ "limpet_cpu_events_total", "Events delivered to endpoints.",
	  FIELD(limpet_stat_cpu, events, 1) },
	{ "limpet_cpu_faults_total",
	  "Faults of components, including those that a handler repaired.",
	  FIELD(limpet_stat_cpu, faults, 1) },
	{ "limpet_cpu_timer_expiries_total", "Timer expiries that the kernel has seen.",
	  FIELD(limpet_stat_cpu, timers, 1) },
	{ "limpet_cpu_resumes_total", "Times that components got the CPU.",
	  FIELD(limpet_stat_cpu, resumes, 1) },
	{ "limpet_cpu_interrupted_total", "Times that an interrupt took the CPU from components.",
	  FIELD(limpet_stat_cpu, interrupted, 1) },
	{ "limpet_cpu_branch_barriers_total",
	  "Branch predictor barriers at switches of components.",
	  FIELD(limpet_stat_cpu, barriers, 1) },
	{ "limpet_cpu_idles_total", "Times that no component was ready and Linux continued.",
	  FIELD(limpet_stat_cpu, idles, 1) },
	{ "limpet_cpu_linux_shares_total", "Times that Linux's share of the CPU was enforced.",
	  FIELD(limpet_stat_cpu, shares, 1) },
	{ "limpet_cpu_memory_bytes", "Memory that the system has on the CPU.",
	  FIELD(limpet_stat_cpu, frames, PAGE) },
	{ "limpet_cpu_memory_free_bytes", "Memory of the system on the CPU that is not in use.",
	  FIELD(limpet_stat_cpu, frames_free, PAGE) },
};

static void print_inside(FILE *out, const struct snapshot *snapshot, const void *record)
{
	const struct limpet_stat_component *component = record;

	(void)snapshot;
	fprintf(out, "%" PRIu64, component->entered - component->left);
}

static const struct metric component_metrics[] = {
	{ "limpet_component_invocations_total", "Invocations of the component.",
	  FIELD(limpet_stat_component, entered, 1) },
	{ "limpet_component_invocations_inside", "Invocations that have not returned.",
	  .print = print_inside },
	{ "limpet_component_faults_total", "Faults of the component that no handler repaired.",
	  FIELD(limpet_stat_component, faults, 1) },
	{ "limpet_component_stops_total", "Times that the component was stopped or restarted.",
	  FIELD(limpet_stat_component, epoch, 1) },
	{ "limpet_component_stopped", "1: the component is stopped and cannot be invoked.",
	  FIELD(limpet_stat_component, closed, 1) },
};

static void print_seconds(FILE *out, const struct snapshot *snapshot, const void *record)
{
	const struct limpet_stat_thread *thread = record;
	uint64_t per_ms = snapshot->info.ticks_per_ms;

	fprintf(out, "%.6f", per_ms ? (double)thread->ticks / (double)per_ms / 1000 : 0);
}

static void print_alive(FILE *out, const struct snapshot *snapshot, const void *record)
{
	const struct limpet_stat_thread *thread = record;

	(void)snapshot;
	fputc(thread->state == LIMPET_THREAD_DEAD ? '0' : '1', out);
}

static bool has_priority(const struct snapshot *snapshot, const void *record)
{
	return snapshot_priority(snapshot, record);
}

static void print_priority(FILE *out, const struct snapshot *snapshot, const void *record)
{
	fprintf(out, "%u", snapshot_priority(snapshot, record));
}

static const struct metric thread_metrics[] = {
	{ "limpet_thread_cpu_seconds_total", "Time that the thread has run.",
	  .print = print_seconds },
	{ "limpet_thread_dispatches_total", "Times that the thread was switched to.",
	  FIELD(limpet_stat_thread, dispatches, 1) },
	{ "limpet_thread_deadline_misses_total",
	  "Missed deadlines that the thread's scheduler has counted.",
	  FIELD(limpet_stat_thread, misses, 1) },
	{ "limpet_thread_priority", "Priority in the system file, of a component's own thread.",
	  .print = print_priority, .has = has_priority },
	{ "limpet_thread_urgency",
	  "Urgency of the thread, which the kernel compares when an event arrives.",
	  FIELD(limpet_stat_thread, urgency, 1) },
	{ "limpet_thread_depth", "Nested invocations that the thread is in.",
	  FIELD(limpet_stat_thread, depth, 1) },
	{ "limpet_thread_alive", "1; 0: the thread has ended.", .print = print_alive },
};

/* --- Histograms of the jobs of periodic threads */

#define JOB_STEP 2 /* buckets of an account in one bucket of the metric, whose bounds double */

struct job_metric {
	const char *name, *help;
	size_t offset; /* offset of the times in the account */
};

static const struct job_metric job_metrics[] = {
	{ "limpet_job_lateness_seconds", "Time from a job's release to its start.",
	  offsetof(struct limpet_jobs, late) },
	{ "limpet_job_run_seconds", "Time that the thread ran for a job.",
	  offsetof(struct limpet_jobs, run) },
	{ "limpet_job_response_seconds", "Time from a job's release to its end.",
	  offsetof(struct limpet_jobs, response) },
};

static double seconds_of(const struct snapshot *snapshot, uint64_t ticks)
{
	return snapshot_us(snapshot, ticks) / 1000000;
}

static void print_job_begin(FILE *out, const char *name, const char *end,
			    const struct snapshot *snapshot,
			    const struct limpet_stat_thread *thread)
{
	fprintf(out, "%s%s{id=\"%" PRIu32 "\",cpu=\"%u\",thread=\"%u\",", name, end,
		snapshot->info.id, thread->cpu, thread->id);
	print_component_label(out, snapshot, thread->home);
}

/* Computes the count from the buckets that are printed, because the kernel counts meanwhile. */
static void print_job_times(FILE *out, const struct job_metric *metric,
			    const struct snapshot *snapshot,
			    const struct limpet_stat_thread *thread,
			    const struct limpet_job_times *times)
{
	uint64_t sum = 0;

	for (unsigned int bucket = 0; bucket < LIMPET_JOB_BUCKETS; bucket++) {
		sum += times->bucket[bucket];
		if (bucket % JOB_STEP || bucket + 1 == LIMPET_JOB_BUCKETS)
			continue;
		print_job_begin(out, metric->name, "_bucket", snapshot, thread);
		fprintf(out, ",le=\"%.9g\"} %" PRIu64 "\n",
			seconds_of(snapshot, limpet_job_floor(bucket + 1)), sum);
	}
	print_job_begin(out, metric->name, "_bucket", snapshot, thread);
	fprintf(out, ",le=\"+Inf\"} %" PRIu64 "\n", sum);
	print_job_begin(out, metric->name, "_sum", snapshot, thread);
	fprintf(out, "} %.9f\n", seconds_of(snapshot, times->sum));
	print_job_begin(out, metric->name, "_count", snapshot, thread);
	fprintf(out, "} %" PRIu64 "\n", sum);
}

static void print_jobs(FILE *out, const struct job_metric *metric, const struct snapshot *snapshot)
{
	const struct limpet_stat *stat = &snapshot->stat;

	for (uint32_t i = 0; stat->jobs && i < stat->threads; i++)
		if (stat->jobs[i].period)
			print_job_times(
				out, metric, snapshot, &stat->thread[i],
				(const void *)((const char *)&stat->jobs[i] + metric->offset));
}

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define END(array) ((array) + COUNT(array))

static void print_cpu(FILE *out, const struct metric *metric, const struct snapshot *snapshot,
		      const struct limpet_stat_cpu *cpu)
{
	print_begin(out, metric->name, snapshot);
	fprintf(out, ",cpu=\"%u\",linux_cpu=\"%u\"", cpu->cpu, cpu->linux_cpu);
	print_value(out, metric, snapshot, cpu);
}

static void print_component(FILE *out, const struct metric *metric, const struct snapshot *snapshot,
			    const struct limpet_stat_component *component)
{
	if (component->index == SNAPSHOT_NONE)
		return;
	print_begin(out, metric->name, snapshot);
	fprintf(out, ",cpu=\"%u\",", component->cpu);
	print_component_label(out, snapshot, component->index);
	fputc(',', out);
	print_label(out, "image", image_component_image(&snapshot->image, component->index));
	print_value(out, metric, snapshot, component);
}

static void print_thread(FILE *out, const struct metric *metric, const struct snapshot *snapshot,
			 const struct limpet_stat_thread *thread)
{
	if (metric->has && !metric->has(snapshot, thread))
		return;
	print_begin(out, metric->name, snapshot);
	fprintf(out, ",cpu=\"%u\",thread=\"%u\",", thread->cpu, thread->id);
	print_component_label(out, snapshot, thread->home);
	print_value(out, metric, snapshot, thread);
}

/* Prints the metrics that also exist without a system. */
static void print_state(FILE *out, bool attached, bool up)
{
	single(out, "limpet_attached", "1: Limpet is attached to this Linux.", attached);
	single(out, "limpet_up", "1: a system runs.", up);
}

static double memory_of(const struct snapshot *snapshot)
{
	return (double)snapshot->info.region_size;
}

static double share_of(const struct snapshot *snapshot)
{
	return (double)snapshot->info.linux_share / 1000;
}

static double restarts_of(const struct snapshot *snapshot)
{
	return snapshot->info.restarts;
}

/* Metrics of a whole system. */
static const struct {
	const char *name, *help;
	double (*value)(const struct snapshot *snapshot);
} system_metrics[] = {
	{ "limpet_uptime_seconds", "Time since the system was loaded.", snapshot_uptime },
	{ "limpet_memory_bytes", "Memory that Linux gave up for the system.", memory_of },
	{ "limpet_linux_share_ratio", "Minimum part of each CPU that Linux gets.", share_of },
	{ "limpet_linux_restarts_total",
	  "Times that another Linux was started on top of the running system.", restarts_of },
};

static bool one_runs(const struct snapshot *snapshots, unsigned int count)
{
	for (unsigned int n = 0; n < count; n++)
		if (snapshots[n].info.state == LIMPET_STATE_RUNNING)
			return true;
	return false;
}

static void print_names(FILE *out, const struct snapshot *snapshots, unsigned int count)
{
	static const char name[] = "limpet_system_info";

	head(out, name, "The system's name, and where it runs; the value is 1.");
	for (unsigned int n = 0; n < count; n++) {
		const bool beneath = snapshots[n].info.mode == LIMPET_MODE_BENEATH;

		print_begin(out, name, &snapshots[n]);
		fputc(',', out);
		print_label(out, "system", image_system_name(&snapshots[n].image));
		fprintf(out, ",mode=\"%s\"} 1\n", beneath ? "beneath" : "beside");
	}
}

static void print_systems(FILE *out, const struct snapshot *snapshots, unsigned int count)
{
	print_state(out, true, one_runs(snapshots, count));
	print_names(out, snapshots, count);
	for (unsigned int i = 0; i < COUNT(system_metrics); i++) {
		head(out, system_metrics[i].name, system_metrics[i].help);
		for (unsigned int n = 0; n < count; n++) {
			print_begin(out, system_metrics[i].name, &snapshots[n]);
			fprintf(out, "} %.15g\n", system_metrics[i].value(&snapshots[n]));
		}
	}
}

static void print_cpus(FILE *out, const struct metric *metric, const struct snapshot *snapshot)
{
	for (unsigned int i = 0; i < snapshot->stat.cpus; i++)
		print_cpu(out, metric, snapshot, &snapshot->stat.cpu[i]);
}

static void print_components(FILE *out, const struct metric *metric,
			     const struct snapshot *snapshot)
{
	for (unsigned int i = 0; i < snapshot->stat.components; i++)
		print_component(out, metric, snapshot, &snapshot->stat.component[i]);
}

static void print_threads(FILE *out, const struct metric *metric, const struct snapshot *snapshot)
{
	for (unsigned int i = 0; i < snapshot->stat.threads; i++)
		print_thread(out, metric, snapshot, &snapshot->stat.thread[i]);
}

/* The format has all samples of a metric in one piece, so those of all systems. */
void prometheus_print_all(FILE *out, const struct snapshot *snapshots, unsigned int count)
{
	static const struct {
		const struct metric *first, *end;
		void (*print)(FILE *out, const struct metric *metric,
			      const struct snapshot *snapshot);
	} groups[] = {
		{ cpu_metrics, END(cpu_metrics), print_cpus },
		{ component_metrics, END(component_metrics), print_components },
		{ thread_metrics, END(thread_metrics), print_threads },
	};

	print_systems(out, snapshots, count);
	for (unsigned int i = 0; i < COUNT(groups); i++)
		for (const struct metric *each = groups[i].first; each < groups[i].end; each++) {
			head(out, each->name, each->help);
			for (unsigned int n = 0; n < count; n++)
				groups[i].print(out, each, &snapshots[n]);
		}
	for (const struct job_metric *each = job_metrics; each < END(job_metrics); each++) {
		fprintf(out, "# HELP %s %s\n# TYPE %s histogram\n", each->name, each->help,
			each->name);
		for (unsigned int n = 0; n < count; n++)
			print_jobs(out, each, &snapshots[n]);
	}
}

void prometheus_print(FILE *out, const struct snapshot *snapshot)
{
	prometheus_print_all(out, snapshot, 1);
}

void prometheus_print_none(FILE *out, bool attached)
{
	print_state(out, attached, false);
}
