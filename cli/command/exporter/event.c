// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include <limpet/channel.h>

#include <cli/command/exporter/event.h>
#include <cli/command/report/wiring.h>
#include <cli/common/fault.h>
#include <cli/common/json.h>
#include <cli/common/channel_load.h>
#include <client/device.h>

/*
 * Prints the distribution of one time of the jobs: [from µs, to µs, jobs] for each bucket from the
 * first to the last one with jobs. The last bucket of all has no end.
 */
static void times_print(struct json *json, const struct snapshot *snapshot, const char *key,
			const struct limpet_job_times *times)
{
	unsigned int first = 0, end = LIMPET_JOB_BUCKETS;

	while (first < end && !times->bucket[first])
		first++;
	while (end > first && !times->bucket[end - 1])
		end--;
	json_object(json, key);
	json_real(json, "sum", snapshot_us(snapshot, times->sum));
	json_real(json, "max", snapshot_us(snapshot, times->max));
	json_array(json, "buckets");
	for (unsigned int n = first; n < end; n++) {
		json_array(json, NULL);
		json_real(json, NULL, snapshot_us(snapshot, limpet_job_floor(n)));
		if (n + 1 < LIMPET_JOB_BUCKETS)
			json_real(json, NULL, snapshot_us(snapshot, limpet_job_floor(n + 1)));
		else
			json_number_or_null(json, NULL, 0);
		json_number(json, NULL, times->bucket[n]);
		json_array_end(json);
	}
	json_array_end(json);
	json_object_end(json);
}

static void jobs_print(struct json *json, const struct snapshot *snapshot,
		       const struct limpet_jobs *jobs)
{
	json_object(json, "jobs");
	json_real(json, "period", snapshot_us(snapshot, jobs->period));
	json_number(json, "count", jobs->count);
	json_number(json, "missed", jobs->missed);
	times_print(json, snapshot, "late", &jobs->late);
	times_print(json, snapshot, "run", &jobs->run);
	times_print(json, snapshot, "response", &jobs->response);
	json_object_end(json);
}

static void thread_print(struct json *json, const struct snapshot *snapshot, unsigned int index)
{
	const struct limpet_stat_thread *thread = &snapshot->stat.thread[index];

	json_object(json, NULL);
	json_number(json, "cpu", thread->cpu);
	json_number(json, "id", thread->id);
	json_text(json, "home", image_component_name(&snapshot->image, thread->home));
	json_text(json, "state", thread->running ? "running" : thread_state_word(thread->state));
	json_number_or_null(json, "priority", snapshot_priority(snapshot, thread));
	json_real(json, "run", snapshot_us(snapshot, thread->ticks));
	json_number(json, "dispatches", thread->dispatches);
	json_number(json, "misses", thread->misses);
	if (snapshot->stat.jobs[index].period)
		jobs_print(json, snapshot, &snapshot->stat.jobs[index]);
	json_object_end(json);
}

static void component_print(struct json *json, const struct snapshot *snapshot,
			    const struct limpet_stat_component *component)
{
	json_object(json, NULL);
	json_number(json, "cpu", component->cpu);
	json_text(json, "name", image_component_name(&snapshot->image, component->index));
	json_number(json, "invocations", component->entered);
	json_number(json, "faults", component->faults);
	json_number(json, "restarts", component->epoch);
	json_bool(json, "stopped", component->closed);
	json_object_end(json);
}

static void cpu_print(struct json *json, const struct snapshot *snapshot,
		      const struct limpet_stat_cpu *cpu)
{
	json_object(json, NULL);
	json_number(json, "cpu", cpu->cpu);
	json_number(json, "linux_cpu", cpu->linux_cpu);
	json_number(json, "invocations", snapshot_invocations(snapshot, cpu->cpu));
	json_number(json, "events", cpu->events);
	json_number(json, "timers", cpu->timers);
	json_number(json, "frames_free", cpu->frames_free);
	json_number(json, "frames", cpu->frames);
	json_object_end(json);
}

/*
 * Prints a channel. It has counters if channel_load_read() knows them: bytes for network devices, messages and bytes;
 * packets for network devices only.
 */
static void channel_print(struct json *json, const struct snapshot *snapshot,
			  const struct limpet_image_channel *channel, const char *root)
{
	const struct channel_load load = channel_load_read(root, &snapshot->image, channel);

	json_object(json, NULL);
	json_text(json, "name", image_string(&snapshot->image, channel->name));
	json_text(json, "component", image_component_name(&snapshot->image, channel->component));
	json_number(json, "to_linux", channel->to_linux);
	json_number(json, "to_component", channel->to_component);
	if (load.known) {
		json_object(json, "load");
		json_number(json, "to_linux_bytes", load.to_linux_bytes);
		json_number(json, "to_component_bytes", load.to_component_bytes);
		if (load.has_packets) {
			json_number(json, "to_linux_packets", load.to_linux_packets);
			json_number(json, "to_component_packets", load.to_component_packets);
			json_number(json, "dropped", load.dropped);
		}
		json_object_end(json);
	}
	json_object_end(json);
}

static void channels_print(struct json *json, const struct snapshot *snapshot, const char *root)
{
	const struct limpet_image_channel *channel;

	json_array(json, "channels");
	for (unsigned int i = 0; (channel = image_channel(&snapshot->image, i)); i++)
		if (channel->mode != LIMPET_CHANNEL_ATTACHED)
			channel_print(json, snapshot, channel, root);
	json_array_end(json);
}

static void system_print(struct json *json, const struct snapshot *snapshot, const char *root)
{
	const struct limpet_stat *stat = &snapshot->stat;

	json_object(json, NULL);
	json_text(json, "name", image_system_name(&snapshot->image));
	json_number(json, "id", snapshot->info.id);
	json_text(json, "mode", snapshot->info.mode == LIMPET_MODE_BENEATH ? "beneath" : "beside");
	json_real(json, "uptime", snapshot_uptime(snapshot));
	json_array(json, "cpus");
	for (unsigned int i = 0; i < stat->cpus; i++)
		cpu_print(json, snapshot, &stat->cpu[i]);
	json_array_end(json);
	json_array(json, "threads");
	for (unsigned int i = 0; i < stat->threads; i++)
		thread_print(json, snapshot, i);
	json_array_end(json);
	json_array(json, "components");
	for (unsigned int i = 0; i < stat->components; i++)
		component_print(json, snapshot, &stat->component[i]);
	json_array_end(json);
	channels_print(json, snapshot, root);
	json_object_end(json);
}

void event_print(FILE *out, const struct snapshot *snapshots, unsigned int count, bool attached,
		 const char *root)
{
	struct json json;

	fputs("retry: 1000\ndata: ", out);
	json_begin(&json, out);
	json_bool(&json, "attached", attached);
	json_array(&json, "systems");
	for (unsigned int n = 0; n < count; n++)
		system_print(&json, &snapshots[n], root);
	json_array_end(&json);
	json_end(&json);
	fputc('\n', out);
}

static void wiring_json(struct json *json, const struct snapshot *snapshot)
{
	char *text = NULL, title[LIMPET_NAME_MAX + 32];
	size_t size;
	FILE *picture = open_memstream(&text, &size);

	if (!picture)
		return;
	snprintf(title, sizeof(title), "%s: the wiring of its components",
		 image_system_name(&snapshot->image));
	wiring_print(picture, snapshot, title, true);
	json_object(json, NULL);
	json_number(json, "id", snapshot->info.id);
	json_text(json, "name", image_system_name(&snapshot->image));
	json_text(json, "picture", fclose(picture) ? NULL : text);
	json_object_end(json);
	free(text);
}

void wirings_print(FILE *out, const struct snapshot *snapshots, unsigned int count)
{
	struct json json;

	json_begin(&json, out);
	json_array(&json, "systems");
	for (unsigned int n = 0; n < count; n++)
		wiring_json(&json, &snapshots[n]);
	json_array_end(&json);
	json_end(&json);
}
