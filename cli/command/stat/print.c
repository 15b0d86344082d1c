// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include <cli/command/stat/print.h>
#include <cli/common/json.h>
#include <client/device.h>

/* The counters of a CPU: one table for both forms of output. */
static const struct counter {
	const char *name;
	size_t offset;
	const char *words;
} counters[] = {
#define COUNTER(name, words) { #name, offsetof(struct limpet_stat_cpu, name), words }
	COUNTER(calls, "kernel calls"),
	COUNTER(events, "events delivered"),
	COUNTER(faults, "faults of components"),
	COUNTER(timers, "timer expiries"),
	COUNTER(resumes, "times components got the CPU"),
	COUNTER(interrupted, "of them ended by an interrupt"),
	COUNTER(barriers, "branch predictor barriers"),
	COUNTER(idles, "times it slept in Linux"),
	COUNTER(shares, "times Linux's share was enforced"),
	COUNTER(frames_free, "frames free"),
	COUNTER(frames, "frames"),
#undef COUNTER
};

#define COUNTERS (sizeof(counters) / sizeof(*counters))

static uint64_t counter_value(const struct counter *counter, const struct limpet_stat_cpu *cpu)
{
	return *(const uint64_t *)(const void *)((const char *)cpu + counter->offset);
}

static void print_cpu(FILE *out, const struct snapshot *snapshot, unsigned int i)
{
	const struct limpet_stat_cpu *cpu = &snapshot->stat.cpu[i];

	fprintf(out, "\nCPU %u (Linux CPU %u)\n", cpu->cpu, cpu->linux_cpu);
	fprintf(out, "%14" PRIu64 "  invocations\n", snapshot_invocations(snapshot, cpu->cpu));
	for (size_t k = 0; k < COUNTERS; k++)
		fprintf(out, "%14" PRIu64 "  %s\n", counter_value(&counters[k], cpu),
			counters[k].words);
}

void stat_print(FILE *out, const struct snapshot *snapshot)
{
	const struct limpet_ioc_info *info = &snapshot->info;

	fprintf(out, "%s: %s for %.3f s, %.1f MiB of memory, %u per mille of each CPU for Linux\n",
		image_system_name(&snapshot->image), limpet_state_words(info->state),
		snapshot_uptime(snapshot), (double)info->region_size / 1048576, info->linux_share);
	fprintf(out, "page tables: %u levels, %s process-context ids; vector state: %u bytes\n",
		info->levels, info->pcid ? "with" : "no", info->xsave_size);
	for (unsigned int i = 0; i < snapshot->stat.cpus; i++)
		print_cpu(out, snapshot, i);
}

static void json_cpu(struct json *json, const struct snapshot *snapshot, unsigned int i)
{
	const struct limpet_stat_cpu *cpu = &snapshot->stat.cpu[i];

	json_object(json, NULL);
	json_number(json, "cpu", cpu->cpu);
	json_number(json, "linux_cpu", cpu->linux_cpu);
	json_number(json, "invocations", snapshot_invocations(snapshot, cpu->cpu));
	for (size_t k = 0; k < COUNTERS; k++)
		json_number(json, counters[k].name, counter_value(&counters[k], cpu));
	json_object_end(json);
}

void stat_print_json(FILE *out, const struct snapshot *snapshot)
{
	const struct limpet_ioc_info *info = &snapshot->info;
	struct json json;

	json_begin(&json, out);
	json_text(&json, "system", image_system_name(&snapshot->image));
	json_text(&json, "state", limpet_state_words(info->state));
	json_number(&json, "uptime_ns", info->uptime_ns);
	json_number(&json, "region_size", info->region_size);
	json_number(&json, "image_size", info->image_size);
	json_number(&json, "linux_share", info->linux_share);
	json_number(&json, "ticks_per_ms", info->ticks_per_ms);
	json_number(&json, "levels", info->levels);
	json_bool(&json, "pcid", info->pcid);
	json_number(&json, "xsave_size", info->xsave_size);
	json_array(&json, "cpus");
	for (unsigned int i = 0; i < snapshot->stat.cpus; i++)
		json_cpu(&json, snapshot, i);
	json_array_end(&json);
	json_end(&json);
}
