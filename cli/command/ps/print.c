// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdio.h>

#include <cli/command/ps/print.h>
#include <cli/common/fault.h>
#include <cli/common/json.h>
#include <client/device.h>

static void print_component(FILE *out, const struct snapshot *snapshot,
			    const struct limpet_stat_component *component)
{
	char fault[160];
	const char *state = "";

	if (component->index == SNAPSHOT_NONE)
		return;
	if (snapshot_failed(snapshot, component->cpu, component->index))
		state = "  failed: its thread is dead";
	else if (component->closed)
		state = "  stopped: it cannot be invoked";
	fault_describe(component, fault, sizeof(fault));
	fprintf(out, "%3u %3u  %-16s %-20s %8u %6u %11" PRIu64 " %6" PRIu64 "%s%s%s\n",
		component->cpu, component->index,
		image_component_name(&snapshot->image, component->index),
		image_component_image(&snapshot->image, component->index), component->epoch,
		component->faults, component->entered, component->entered - component->left,
		*fault ? "  " : "", fault, state);
}

static void print_thread(FILE *out, const struct snapshot *snapshot,
			 const struct limpet_stat_thread *thread)
{
	const char *state = thread->running ? "running" : thread_state_word(thread->state);
	char priority[12], death[200];

	thread_death(snapshot, thread, death, sizeof(death));
	fprintf(out, "%3u %3u  %-16s %-20s %-8s %8s %5u %10" PRIu64 " %6" PRIu64 " %7.3f%s%s\n",
		thread->cpu, thread->id, image_component_name(&snapshot->image, thread->home),
		image_component_name(&snapshot->image, thread->inside), state,
		thread_priority_text(snapshot_priority(snapshot, thread), priority), thread->depth,
		thread->dispatches, thread->misses, snapshot_percent(snapshot, thread),
		*death ? "  " : "", death);
}

void ps_print(FILE *out, const struct snapshot *snapshot)
{
	const struct limpet_ioc_info *info = &snapshot->info;
	const struct limpet_stat *stat = &snapshot->stat;

	fprintf(out, "%s", image_system_name(&snapshot->image));
	if (info->id)
		fprintf(out, " (system %u)", info->id);
	fprintf(out, ": %s for %.3f s, ", limpet_state_words(info->state),
		snapshot_uptime(snapshot));
	if (info->mode == LIMPET_MODE_BENEATH)
		fprintf(out, "beneath Linux, on its CPU");
	else
		fprintf(out, "host process %d, on Linux CPU", info->host_pid);
	for (unsigned int i = 0; i < info->cpus; i++)
		fprintf(out, "%s %u", i ? "," : "", info->cpu[i]);
	if (info->restarts)
		fprintf(out, "\nLinux was restarted %u time%s, the last time because %s",
			info->restarts, info->restarts == 1 ? "" : "s",
			limpet_death_words(info->death));
	fprintf(out, "\n\nCPU   #  %-16s %-20s RESTARTS FAULTS INVOCATIONS INSIDE  LAST FAULT\n",
		"COMPONENT", "IS A");
	for (unsigned int i = 0; i < stat->components; i++)
		print_component(out, snapshot, &stat->component[i]);
	fprintf(out, "\nCPU  ID  %-16s %-20s %-8s PRIORITY DEPTH DISPATCHES MISSES    CPU%%\n",
		"THREAD OF", "IS IN", "STATE");
	for (unsigned int i = 0; i < stat->threads; i++)
		print_thread(out, snapshot, &stat->thread[i]);
}

static void json_component(struct json *json, const struct snapshot *snapshot,
			   const struct limpet_stat_component *component)
{
	char fault[160];

	if (component->index == SNAPSHOT_NONE)
		return;
	fault_describe(component, fault, sizeof(fault));
	json_object(json, NULL);
	json_number(json, "cpu", component->cpu);
	json_number(json, "index", component->index);
	json_text(json, "name", image_component_name(&snapshot->image, component->index));
	json_text(json, "image", image_component_image(&snapshot->image, component->index));
	json_bool(json, "failed", snapshot_failed(snapshot, component->cpu, component->index));
	json_bool(json, "stopped", component->closed);
	json_number(json, "restarts", component->epoch);
	json_number(json, "faults", component->faults);
	json_number(json, "invocations", component->entered);
	json_number(json, "inside", component->entered - component->left);
	json_text(json, "last_fault", *fault ? fault : NULL);
	json_object_end(json);
}

static void json_thread(struct json *json, const struct snapshot *snapshot,
			const struct limpet_stat_thread *thread)
{
	char death[200];

	thread_death(snapshot, thread, death, sizeof(death));
	json_object(json, NULL);
	json_number(json, "cpu", thread->cpu);
	json_number(json, "id", thread->id);
	json_text(json, "home", image_component_name(&snapshot->image, thread->home));
	json_text(json, "inside", image_component_name(&snapshot->image, thread->inside));
	json_text(json, "state", thread_state_word(thread->state));
	json_text(json, "died_of", *death ? death : NULL);
	json_bool(json, "running", thread->running);
	json_number_or_null(json, "priority", snapshot_priority(snapshot, thread));
	json_number(json, "urgency", thread->urgency);
	json_number(json, "depth", thread->depth);
	json_number(json, "dispatches", thread->dispatches);
	json_number(json, "misses", thread->misses);
	json_real(json, "run_us", snapshot_us(snapshot, thread->ticks));
	json_real(json, "percent", snapshot_percent(snapshot, thread));
	json_object_end(json);
}

static void json_system(struct json *json, const struct snapshot *snapshot)
{
	const struct limpet_ioc_info *info = &snapshot->info;

	json_text(json, "system", image_system_name(&snapshot->image));
	json_number(json, "id", info->id);
	json_text(json, "state", limpet_state_words(info->state));
	json_real(json, "uptime", snapshot_uptime(snapshot));
	json_text(json, "mode", info->mode == LIMPET_MODE_BENEATH ? "beneath" : "beside");
	json_number(json, "host_pid", (uint64_t)info->host_pid);
	json_number(json, "restarts", info->restarts);
	json_text(json, "restarted_since", info->restarts ? limpet_death_words(info->death) : NULL);
	json_array(json, "linux_cpus");
	for (unsigned int i = 0; i < info->cpus; i++)
		json_number(json, NULL, info->cpu[i]);
	json_array_end(json);
}

void ps_print_json(FILE *out, const struct snapshot *snapshot)
{
	const struct limpet_stat *stat = &snapshot->stat;
	struct json json;

	json_begin(&json, out);
	json_system(&json, snapshot);
	json_array(&json, "components");
	for (unsigned int i = 0; i < stat->components; i++)
		json_component(&json, snapshot, &stat->component[i]);
	json_array_end(&json);
	json_array(&json, "threads");
	for (unsigned int i = 0; i < stat->threads; i++)
		json_thread(&json, snapshot, &stat->thread[i]);
	json_array_end(&json);
	json_end(&json);
}
