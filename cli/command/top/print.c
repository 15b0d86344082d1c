// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>

#include <cli/common/fault.h>
#include <cli/common/json.h>
#include <cli/command/top/top.h>
#include <client/device.h>

static void print_head(FILE *out, const struct top *top, enum top_sort sort)
{
	const struct limpet_ioc_info *info = &top->now->info;

	fprintf(out, "%s: %s %s Linux for %.1f s, over %.1f s, by %s\n",
		image_system_name(&top->now->image), limpet_state_words(info->state),
		info->mode == LIMPET_MODE_BENEATH ? "beneath" : "beside", snapshot_uptime(top->now),
		top->seconds, top_sort_word(sort));
}

void top_print(FILE *out, const struct top *top, enum top_sort sort)
{
	char priority[12];

	print_head(out, top, sort);
	fprintf(out,
		"\nCPU LINUX    CPU%% INVOCATIONS/S  EVENTS/S  TIMERS/S   CALLS/S  FAULTS/S\n");
	for (const struct top_cpu *cpu = top->cpu; cpu < top->cpu + top->cpus; cpu++)
		fprintf(out, "%3u %5u %7.2f %13.1f %9.1f %9.1f %9.1f %9.1f\n", cpu->cpu,
			cpu->linux_cpu, cpu->percent, cpu->invocations, cpu->events, cpu->timers,
			cpu->calls, cpu->faults);
	fprintf(out,
		"\nCPU ID  THREAD OF        IS IN            STATE      CPU%% DISPATCHES/S  MISSES "
		"PRIORITY DEPTH\n");
	for (const struct top_thread *thread = top->thread; thread < top->thread + top->threads;
	     thread++)
		fprintf(out, "%3u %2u  %-16.16s %-16.16s %-8s %6.2f %12.1f %7" PRIu64 " %8s %5u\n",
			thread->cpu, thread->id, thread->name, thread->inside, thread->state,
			thread->percent, thread->dispatches, thread->misses,
			thread_priority_text(thread->priority, priority), thread->depth);
	fprintf(out, "\nCPU COMPONENT        INVOCATIONS/S INSIDE FAULTS RESTARTS\n");
	for (const struct top_component *component = top->component;
	     component < top->component + top->components; component++)
		fprintf(out, "%3u %-16.16s %13.1f %6" PRIu64 " %6" PRIu64 " %8u%s\n",
			component->cpu, component->name, component->invocations, component->inside,
			component->faults, component->restarts,
			component->stopped ? "  stopped" : "");
}

static void json_cpu(struct json *json, const struct top_cpu *cpu)
{
	json_object(json, NULL);
	json_number(json, "cpu", cpu->cpu);
	json_number(json, "linux_cpu", cpu->linux_cpu);
	json_real(json, "percent", cpu->percent);
	json_real(json, "invocations", cpu->invocations);
	json_real(json, "events", cpu->events);
	json_real(json, "timers", cpu->timers);
	json_real(json, "calls", cpu->calls);
	json_real(json, "faults", cpu->faults);
	json_object_end(json);
}

static void json_thread(struct json *json, const struct top_thread *thread)
{
	json_object(json, NULL);
	json_number(json, "cpu", thread->cpu);
	json_number(json, "id", thread->id);
	json_text(json, "home", thread->name);
	json_text(json, "inside", thread->inside);
	json_text(json, "state", thread->state);
	json_real(json, "percent", thread->percent);
	json_real(json, "dispatches", thread->dispatches);
	json_number(json, "misses", thread->misses);
	json_number(json, "missed", thread->missed);
	json_number_or_null(json, "priority", thread->priority);
	json_number(json, "urgency", thread->urgency);
	json_number(json, "depth", thread->depth);
	json_object_end(json);
}

static void json_component(struct json *json, const struct top_component *component)
{
	json_object(json, NULL);
	json_number(json, "cpu", component->cpu);
	json_number(json, "index", component->index);
	json_text(json, "name", component->name);
	json_real(json, "invocations", component->invocations);
	json_number(json, "inside", component->inside);
	json_number(json, "faults", component->faults);
	json_number(json, "restarts", component->restarts);
	json_bool(json, "stopped", component->stopped);
	json_object_end(json);
}

void top_print_json(FILE *out, const struct top *top)
{
	struct json json;

	json_begin(&json, out);
	json_text(&json, "system", image_system_name(&top->now->image));
	json_text(&json, "state", limpet_state_words(top->now->info.state));
	json_real(&json, "uptime", snapshot_uptime(top->now));
	json_real(&json, "seconds", top->seconds);
	json_array(&json, "cpus");
	for (unsigned int i = 0; i < top->cpus; i++)
		json_cpu(&json, &top->cpu[i]);
	json_array_end(&json);
	json_array(&json, "threads");
	for (unsigned int i = 0; i < top->threads; i++)
		json_thread(&json, &top->thread[i]);
	json_array_end(&json);
	json_array(&json, "components");
	for (unsigned int i = 0; i < top->components; i++)
		json_component(&json, &top->component[i]);
	json_array_end(&json);
	json_end(&json);
}
