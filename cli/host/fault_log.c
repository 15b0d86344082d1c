// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include <cli/common/fault.h>
#include <cli/common/report.h>

#include "fault_log.h"

/* Returns whether a CPU has had faults since the last call, and stores their number. */
static bool cpu_faulted(struct fault_log *faults, int fd, unsigned int cpu)
{
	/* The first piece would also count the free frames, which takes longer. */
	struct limpet_ioc_stat piece = { .number = cpu, .first = LIMPET_STAT_PIECE };
	uint64_t before = faults->of_cpu[cpu];

	if (ioctl(fd, LIMPET_IOC_STAT, &piece) < 0)
		return false;
	faults->of_cpu[cpu] = piece.cpu.faults;
	return piece.cpu.faults != before;
}

/* Stores the numbers of faults of a snapshot. Without memory, later lines count them again. */
static void faults_keep(struct fault_log *faults, const struct limpet_stat *stat)
{
	uint32_t *seen = realloc(faults->seen, (stat->components + 1ul) * sizeof(*seen));

	if (!seen)
		return;
	faults->seen = seen;
	faults->count = stat->components;
	for (uint32_t i = 0; i < stat->components; i++)
		seen[i] = stat->component[i].faults;
}

void fault_log_begin(struct fault_log *faults, int fd, bool joined)
{
	struct limpet_stat stat;

	*faults = (struct fault_log){ 0 };
	if (!joined || limpet_stat(fd, &stat) < 0)
		return;
	faults_keep(faults, &stat);
	limpet_stat_free(&stat);
}

/* Returns the thread in which the last fault of a component happened, or NULL. */
static const struct limpet_stat_thread *thread_of(const struct limpet_stat *stat,
						  const struct limpet_stat_component *component)
{
	for (uint32_t i = 0; i < stat->threads; i++)
		if (stat->thread[i].cpu == component->cpu &&
		    stat->thread[i].id == component->fault_thread)
			return &stat->thread[i];
	return NULL;
}

void fault_log_print(FILE *out, const struct snapshot *snapshot,
		     const struct limpet_stat_component *component, uint32_t more)
{
	const struct limpet_stat_thread *thread = thread_of(&snapshot->stat, component);
	const struct image *image = &snapshot->image;
	uint64_t begin = 0;
	const char *function = image_function(image, component->index, component->fault_ip, &begin);
	char what[160];

	fault_describe(component, what, sizeof(what));
	fprintf(out, "%s: %s", image_component_name(image, component->index), what);
	if (function)
		fprintf(out, " in %s+0x%" PRIx64, function, component->fault_ip - begin);
	fprintf(out, ", thread %u", component->fault_thread);
	if (thread)
		fprintf(out, " of %s", image_component_name(image, thread->home));
	fprintf(out, " on CPU %u: %s", component->cpu,
		thread && thread->state == LIMPET_THREAD_DEAD ? "the thread is dead"
							      : "its caller got an error");
	if (more > 1)
		fprintf(out, ", the last of %u faults since the last line", more);
}

/* Returns the number of faults of record `i` since the last look. A restarted count has started from 0. */
static uint32_t faults_more(const struct fault_log *faults, const struct limpet_stat *stat,
			    uint32_t i)
{
	const uint32_t now = stat->component[i].faults;
	const uint32_t before = i < faults->count ? faults->seen[i] : 0;

	return now >= before ? now - before : now;
}

static bool is_supervised(const struct image *image, uint32_t index)
{
	const struct limpet_image_component *component = image_component(image, index);

	return component && component->supervisor;
}

static void component_note(struct log_file *log, const struct snapshot *snapshot,
			   const struct limpet_stat_component *component, uint32_t more)
{
	char line[REPORT_LINE];
	FILE *out = fmemopen(line, sizeof(line), "w");

	if (!out)
		return;
	fault_log_print(out, snapshot, component, more);
	fclose(out);
	line[sizeof(line) - 1] = 0;
	log_file_note(log, "<3>%s", line);
}

void fault_log_look(struct fault_log *faults, int fd, unsigned int cpus, struct log_file *log)
{
	struct snapshot snapshot;
	bool any = false;

	for (unsigned int cpu = 0; cpu < cpus; cpu++)
		any |= cpu_faulted(faults, fd, cpu);
	if (!any)
		return;
	if (!snapshot_read_from(&snapshot, fd) && snapshot.image.bytes) {
		for (uint32_t i = 0; i < snapshot.stat.components; i++) {
			uint32_t more = faults_more(faults, &snapshot.stat, i);

			if (more &&
			    !is_supervised(&snapshot.image, snapshot.stat.component[i].index))
				component_note(log, &snapshot, &snapshot.stat.component[i], more);
		}
		faults_keep(faults, &snapshot.stat);
	}
	snapshot_release(&snapshot);
}

void fault_log_end(struct fault_log *faults)
{
	free(faults->seen);
	*faults = (struct fault_log){ 0 };
}
