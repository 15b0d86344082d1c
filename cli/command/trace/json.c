// SPDX-License-Identifier: GPL-2.0
/*
 * The format of Chrome's trace viewer, which Perfetto also reads. Each CPU is a process. One of its
 * tracks shows the thread that has the CPU. Each thread has a track, with its invocations as nested
 * slices.
 */
#include <cli/common/json.h>
#include <cli/command/trace/trace.h>

#define NO_THREAD LIMPET_TRACE_NONE
#define TRACK_CPU 0 /* then come threads, by id */
#define TRACK_THREAD 1

static struct json json;
static const struct snapshot *system_of;
static uint64_t began; /* the first time stamp of all; 0: not known yet */

/*
 * The state of a CPU: its running thread, and the open slices. Slices end in the reverse order of
 * their starts.
 */
static struct state {
	bool open; /* a slice of the CPU's track */
	unsigned int running;
	unsigned int depth[LIMPET_THREADS_MAX];
	uint64_t last; /* time stamp */
} cpus[LIMPET_CPUS_MAX];

/* Converts a time stamp to the format's microseconds since the first event. Earlier times become 0. */
static double microseconds(uint64_t time)
{
	return time > began ? (double)(time - began) * 1000 / (double)system_of->info.ticks_per_ms
			    : 0;
}

/* Starts the object of an event, which the caller ends. */
static void event_begin(const char *phase, const char *name, unsigned int cpu, unsigned int track)
{
	fputs(json.more ? ",\n" : "\n", json.out);
	json.more = false;
	json_object(&json, NULL);
	json_text(&json, "ph", phase);
	json_text(&json, "name", name);
	json_number(&json, "pid", cpu);
	json_number(&json, "tid", track);
}

static void timed(const char *phase, const char *name, unsigned int cpu, unsigned int track)
{
	event_begin(phase, name, cpu, track);
	json_real(&json, "ts", microseconds(cpus[cpu].last));
}

static void slice(const char *phase, const char *name, unsigned int cpu, unsigned int track)
{
	timed(phase, name, cpu, track);
	json_object_end(&json);
}

static void name_track(const char *what, const char *name, unsigned int cpu, unsigned int track)
{
	event_begin("M", what, cpu, track);
	json_object(&json, "args");
	json_text(&json, "name", name);
	json_object_end(&json);
	json_object_end(&json);
}

static void name_tracks(unsigned int cpu)
{
	char name[128];

	snprintf(name, sizeof(name), "CPU %u (Linux CPU %u)", cpu, system_of->info.cpu[cpu]);
	name_track("process_name", name, cpu, TRACK_CPU);
	name_track("thread_name", "whose it is", cpu, TRACK_CPU);
	for (unsigned int id = 0; id < LIMPET_THREADS_MAX; id++)
		if (trace_thread_name(system_of, cpu, id, name, sizeof(name)))
			name_track("thread_name", name, cpu, TRACK_THREAD + id);
}

/* Ends the current slice of the CPU's track, and starts another one, unless `name` is NULL. */
static void whose(unsigned int cpu, const char *name)
{
	if (cpus[cpu].open)
		slice("E", "", cpu, TRACK_CPU);
	cpus[cpu].open = name;
	if (name)
		slice("B", name, cpu, TRACK_CPU);
}

static void running(unsigned int cpu, unsigned int thread)
{
	char name[128];

	if (cpus[cpu].open && cpus[cpu].running == thread)
		return;
	cpus[cpu].running = thread;
	if (thread >= LIMPET_THREADS_MAX) {
		whose(cpu, "kernel");
		return;
	}
	trace_thread_name(system_of, cpu, thread, name, sizeof(name));
	whose(cpu, name);
}

static void enter(unsigned int cpu, unsigned int thread, const char *component)
{
	cpus[cpu].depth[thread]++;
	slice("B", component, cpu, TRACK_THREAD + thread);
}

static void leave(unsigned int cpu, unsigned int thread)
{
	if (!cpus[cpu].depth[thread])
		return;
	cpus[cpu].depth[thread]--;
	slice("E", "", cpu, TRACK_THREAD + thread);
}

/* Corrects the number of open invocations of a thread after events were lost. */
static void depth_set(unsigned int cpu, unsigned int thread, unsigned int depth,
		      const char *component)
{
	unsigned int *now = &cpus[cpu].depth[thread];

	if (depth > LIMPET_DEPTH_MAX)
		return;
	while (*now > depth)
		leave(cpu, thread);
	while (*now < depth)
		enter(cpu, thread, *now + 1 == depth ? component : "before the trace");
}

static void close_all(unsigned int cpu)
{
	for (unsigned int id = 0; id < LIMPET_THREADS_MAX; id++)
		while (cpus[cpu].depth[id])
			leave(cpu, id);
	whose(cpu, NULL);
}

static void instant(unsigned int cpu, unsigned int track, const char *name, const char *key,
		    uint64_t value)
{
	timed("i", name, cpu, track);
	json_text(&json, "s", "t");
	if (key) {
		json_object(&json, "args");
		json_number(&json, key, value);
		json_object_end(&json);
	}
	json_object_end(&json);
}

/* Writes a system call of a guest, or its result, at the handler thread that gets the event. */
static void guest_marked(unsigned int cpu, unsigned int track, unsigned int kind,
			 unsigned int number)
{
	char name[64];

	snprintf(name, sizeof(name), "%s %s", trace_kind_word(kind), trace_guest_word(number));
	instant(cpu, track, name, "number", number);
}

/* Writes an event that is not a slice. */
static void marked(unsigned int cpu, const struct limpet_trace_event *event)
{
	unsigned int kind = event_kind(event), thread = event_thread(event);
	unsigned int track = thread < LIMPET_THREADS_MAX ? TRACK_THREAD + thread : TRACK_CPU;
	const char *key = trace_argument_word(kind);

	if (kind == LIMPET_TRACE_CALL)
		instant(cpu, track, trace_call_word(event_argument(event)), NULL, 0);
	else if (kind == LIMPET_TRACE_GUEST_CALL || kind == LIMPET_TRACE_GUEST_RESULT)
		guest_marked(cpu, track, kind, event_argument(event));
	else
		instant(cpu, track, trace_kind_word(kind), *key ? key : NULL,
			event_argument(event));
}

static void event_put(unsigned int cpu, const struct limpet_trace_event *event)
{
	const char *component = image_component_name(&system_of->image, event_component(event));
	unsigned int thread = event_thread(event);
	bool known = thread < LIMPET_THREADS_MAX;

	cpus[cpu].last = event->time;
	switch (event_kind(event)) {
	case LIMPET_TRACE_START:
	case LIMPET_TRACE_RESUME:
	case LIMPET_TRACE_DISPATCH:
		if (event_kind(event) == LIMPET_TRACE_RESUME)
			whose(cpu, NULL);
		running(cpu, thread);
		if (known)
			depth_set(cpu, thread, event_argument(event), component);
		break;
	case LIMPET_TRACE_PAUSE:
		whose(cpu, "Linux");
		cpus[cpu].running = NO_THREAD;
		break;
	case LIMPET_TRACE_INVOKE:
		if (known && cpus[cpu].depth[thread] < LIMPET_DEPTH_MAX)
			enter(cpu, thread, component);
		break;
	case LIMPET_TRACE_RETURN:
		if (known)
			leave(cpu, thread);
		break;
	default:
		marked(cpu, event);
	}
}

static bool json_begin_trace(const struct snapshot *snapshot, const char *folder)
{
	FILE *out = trace_create(folder, "trace.json");

	if (!out)
		return false;
	system_of = snapshot;
	began = 0;
	for (unsigned int cpu = 0; cpu < LIMPET_CPUS_MAX; cpu++)
		cpus[cpu] = (struct state){ .running = NO_THREAD };
	json_begin(&json, out);
	json_text(&json, "displayTimeUnit", "ns");
	json_array(&json, "traceEvents");
	for (unsigned int cpu = 0; cpu < snapshot->info.cpus; cpu++)
		name_tracks(cpu);
	return true;
}

static void json_put(unsigned int cpu, const struct limpet_trace_event *event, size_t count,
		     uint64_t lost)
{
	if (!began && count)
		began = event[0].time;
	if (lost && cpus[cpu].last) {
		close_all(cpu);
		instant(cpu, TRACK_CPU, "events lost", "count", lost);
	}
	for (size_t i = 0; i < count; i++)
		event_put(cpu, &event[i]);
}

static bool json_end_trace(void)
{
	for (unsigned int cpu = 0; cpu < system_of->info.cpus; cpu++)
		close_all(cpu);
	json_array_end(&json);
	json_end(&json);
	return trace_close(json.out);
}

const struct trace_format trace_json = {
	.name = "json",
	.begin = json_begin_trace,
	.put = json_put,
	.end = json_end_trace,
};
