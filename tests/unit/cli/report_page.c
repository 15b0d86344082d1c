// SPDX-License-Identifier: GPL-2.0
/*
 * Writes a report of a made-up system for test_report.py: `report_page CASE PATH`. CASE is one of:
 *   healthy  two periodic threads on two CPUs, which meet their deadlines
 *   failed   a thread that misses deadlines while another thread runs, restarts, and a name with special characters
 *   none     a system without periodic threads, whose image cannot be read
 *   metrics  writes the metrics of the system of `healthy` instead of a report
 *   live     serves the live page at the address PATH and prints the port. The time advances by a second for each event.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "fake_root.h"
#include "stat_room.h"

#include <limpet/channel.h>

#include <arpa/inet.h>
#include <sys/socket.h>

#include <cli/command/exporter/event.h>
#include <cli/command/exporter/http.h>
#include <cli/command/exporter/page.h>
#include <cli/command/report/survey.h>
#include <cli/common/prometheus.h>

#define MS 1000000ul /* ticks: the time stamp counts 1 GHz */
#define PERIOD MS
#define SECONDS 2.0
#define BEGIN (1000 * MS)
#define STRANGE "<b>\"a&b\"'\377\177"

enum { BOOTER, SCHED, MEM, LOG, CONTROL, PLANNER, NET, SCHED1, LOOP1, COMPONENTS };

static const char *names[COMPONENTS] = { "booter",  "sched", "mem",    "log",  "control",
					 "planner", "net",   "sched1", "loop1" };
static const char *const images[COMPONENTS] = {
	"booter",    "sched.fixed-priority", "mem", "log", "demo.control", "demo.planner", "net",
	"sched.edf", "demo.control"
};
static const unsigned int wires[][2] = {
	{ MEM, SCHED },	   { LOG, SCHED },	 { CONTROL, SCHED }, { CONTROL, MEM },
	{ CONTROL, LOG },  { PLANNER, CONTROL }, { PLANNER, MEM },   { PLANNER, SCHED },
	{ NET, MEM },	   { NET, SCHED },	 { PLANNER, NET },   { SCHED, MEM },
	{ LOOP1, SCHED1 },
};
#define WIRES (sizeof(wires) / sizeof(*wires))
#define CHANNELS 3

static struct {
	struct limpet_image header;
	struct limpet_image_component component[COMPONENTS];
	struct limpet_image_wire wire[WIRES];
	struct limpet_image_channel channel[CHANNELS];
	char strings[4096];
} image;
static uint32_t strings_used;

static struct survey survey;
static struct timeline timelines[2];
static struct limpet_trace_event made[65536];

static uint32_t string(const char *text)
{
	const uint32_t at = strings_used;

	assert_true(at + strlen(text) < sizeof(image.strings));
	strcpy(image.strings + at, text);
	strings_used += (uint32_t)strlen(text) + 1;
	return at;
}

static void image_fill(void)
{
	static const uint32_t modes[CHANNELS] = { LIMPET_CHANNEL_MESSAGES, LIMPET_CHANNEL_NETWORK,
						  LIMPET_CHANNEL_ATTACHED };

	image.header = (struct limpet_image){
		.magic = LIMPET_IMAGE_MAGIC,
		.version = LIMPET_IMAGE_VERSION,
		.components = COMPONENTS,
		.wires = WIRES,
		.channels = CHANNELS,
		.strings = sizeof(image.strings),
		.components_at = (uint64_t)((char *)image.component - (char *)&image),
		.wires_at = (uint64_t)((char *)image.wire - (char *)&image),
		.channels_at = (uint64_t)((char *)image.channel - (char *)&image),
		.strings_at = (uint64_t)(image.strings - (char *)&image),
		.name = string("robot"),
	};
	for (unsigned int i = 0; i < COMPONENTS; i++)
		image.component[i] = (struct limpet_image_component){
			.name = string(names[i]),
			.image = string(images[i]),
			.cpu = i >= SCHED1,
			.priority = i >= CONTROL && i != SCHED1 ? 20 * i : 0,
			.flags = i == SCHED || i == SCHED1 ? LIMPET_COMPONENT_SCHEDULER
				 : i == MEM		   ? LIMPET_COMPONENT_MEMORY
				 : i == LOG		   ? LIMPET_COMPONENT_CONSOLE
							   : 0,
		};
	for (unsigned int i = 0; i < WIRES; i++) {
		struct limpet_image_component *client = &image.component[wires[i][0]];

		if (!client->wires)
			client->wire = i;
		client->wires = i + 1 - client->wire;
		image.wire[i] = (struct limpet_image_wire){ .server = wires[i][1],
							    .import = string(names[wires[i][1]]) };
	}
	for (unsigned int i = 0; i < CHANNELS; i++)
		image.channel[i] =
			(struct limpet_image_channel){ .component = i ? NET : PLANNER,
						       .mode = modes[i],
						       .name = string(i ? "limpet0" : "plan"),
						       .to_linux = 4096,
						       .to_component = 8192 };
	survey.check.snapshot.image = (struct image){ (void *)&image, sizeof(image) };
}

static void stat_fill(struct limpet_stat *stat, uint64_t many)
{
	static const unsigned int homes[] = { SCHED, CONTROL, PLANNER, NET, SCHED1, LOOP1 };

	stat_allocate(stat, 2, COMPONENTS, 6);
	for (unsigned int i = 0; i < 2; i++)
		stat->cpu[i] = (struct limpet_stat_cpu){ .cpu = i,
							 .linux_cpu = i + 2,
							 .calls = 9000 * many,
							 .events = 3000 * many,
							 .resumes = 2000 * many,
							 .interrupted = 100 * many,
							 .idles = 1900 * many,
							 .frames = 4096,
							 .frames_free = 1000 };
	for (unsigned int i = 0; i < COMPONENTS; i++)
		stat->component[i] = (struct limpet_stat_component){ .index = i,
								     .cpu = i >= SCHED1,
								     .entered = 2000 * many * i };
	for (unsigned int i = 0; i < 6; i++)
		stat->thread[i] = (struct limpet_stat_thread){ .cpu = i >= 4,
							       .id = i + 1,
							       .home = homes[i],
							       .inside = homes[i],
							       .ticks = 50 * MS * many * (i + 1) };
}

/* --- Jobs of control on CPU 0 and of loop1 on CPU 1, with their events */

static size_t events;

static void event(uint64_t time, enum limpet_trace_kind kind, unsigned int id,
		  unsigned int argument)
{
	made[events++] = (struct limpet_trace_event){ .time = time,
						      .where = argument << 16,
						      .what = id | (unsigned int)kind << 16 };
}

static void times_add(struct limpet_job_times *times, uint64_t ticks, uint64_t release)
{
	times->bucket[limpet_job_bucket(ticks)]++;
	times->sum += ticks;
	if (ticks > times->max) {
		times->max = ticks;
		times->longest = release;
	}
}

/* Adds a job. The thread starts `late` after the release and runs for `run`. Another thread interrupts it for `hold`. */
static void job(struct check_thread *thread, uint64_t release, uint64_t late, uint64_t run,
		uint64_t hold)
{
	const uint64_t start = release + late, end = start + run + hold;
	struct limpet_jobs *now = &thread->now;
	const unsigned int other = thread->cpu ? 5 : 3;

	events = 0;
	event(release - 20000, LIMPET_TRACE_PAUSE, 1, LIMPET_REASON_IDLE);
	event(release + late / 2, LIMPET_TRACE_RESUME, 1, 0);
	event(release + late / 2 + 100, LIMPET_TRACE_EVENT, thread->id, 6);
	event(start, LIMPET_TRACE_DISPATCH, thread->id, 0);
	event(start + run / 4, LIMPET_TRACE_PAUSE, thread->id, 0);
	event(start + run / 3, LIMPET_TRACE_RESUME, thread->id, 0);
	if (hold) {
		event(start + run / 2, LIMPET_TRACE_DISPATCH, other, 0);
		event(start + run / 2 + hold, LIMPET_TRACE_DISPATCH, thread->id, 0);
		event(start + run / 2 + hold + 10, LIMPET_TRACE_FAULT, thread->id, 14);
	}
	event(end, LIMPET_TRACE_DISPATCH, 1, 0);
	event(end + 2000, LIMPET_TRACE_PAUSE, 1, LIMPET_REASON_IDLE);
	timeline_put(&timelines[thread->cpu], made, events, 0);
	survey.check.hooks.events(&survey.check, thread->cpu, made, events);
	now->period = PERIOD;
	now->release = release;
	now->count++;
	now->missed += end - release > PERIOD;
	times_add(&now->late, late, release);
	times_add(&now->run, run, release);
	times_add(&now->response, end - release, release);
	if (now->response.longest != release)
		return;
	event(end + PERIOD, LIMPET_TRACE_PAUSE, 1, LIMPET_REASON_IDLE);
	timeline_put(&timelines[thread->cpu], &made[events - 1], 1, 0);
	timeline_take(thread->sum, &timelines[thread->cpu], release, end);
	thread->analyzed = now->response.max;
	survey.check.hooks.worst(&survey.check, thread, &timelines[thread->cpu], release, end);
}

static void run(bool failed)
{
	uint64_t seed = 4711;

	for (unsigned int n = 0; n < (unsigned int)(SECONDS * 1000); n++) {
		for (unsigned int i = 0; i < survey.check.threads; i++) {
			const uint64_t late = 4000 + test_random(&seed) % 3000 +
					      (test_random(&seed) % 50 ? 0 : 21000);
			const uint64_t hold = failed && !i && n % 400 == 300 ? 950000 : 0;

			job(&survey.check.thread[i], BEGIN + n * PERIOD, late,
			    90000 + test_random(&seed) % 20000 * (i + 1), hold);
		}
		survey.check.hooks.accounts(&survey.check, (n + 1) / 1000.0);
	}
}

static void check_fill(bool failed, bool none)
{
	static struct machine machines[2][2];
	static struct history histories[2];
	static struct check_thread threads[2];
	struct check *check = &survey.check;

	for (unsigned int cpu = 0; cpu < 2; cpu++) {
		machines[0][cpu] = machines[1][cpu] = (struct machine){ .steal_ms = -1 };
		machines[0][cpu].ticks = BEGIN;
		machines[1][cpu].ticks = BEGIN + (uint64_t)(SECONDS * 1000) * PERIOD;
		machines[1][cpu].ns = (uint64_t)(SECONDS * 1e9);
		check->priority[cpu] = 90;
		threads[cpu] = (struct check_thread){ .cpu = cpu,
						      .id = cpu ? 6 : 2,
						      .home = cpu ? LOOP1 : CONTROL,
						      .period = PERIOD,
						      .sum = calloc(1, sizeof(*threads->sum)) };
	}
	check->before = machines[0];
	check->after = machines[1];
	check->history = histories;
	check->seconds = SECONDS;
	check->traced = true;
	check->unchecked = 4;
	check->thread = threads;
	check->threads = none ? 0 : 2;
	run(failed);
	if (failed) {
		survey.after.component[NET].epoch = 3;
		survey.after.component[NET].faults = 3;
		survey.after.component[NET].fault_kind = 14;
		check->lost = 77;
	}
}

/* A large machine: its /proc/cpuinfo has more than 64 KiB. */
#define PROCESSORS 100
#define PROCESSOR                                                                                  \
	"processor\t: %u\nmodel name\t: Example CPU <1> @ 1.00GHz\n"                               \
	"flags\t\t: fpu hypervisor svm %01000d\n\n"

/* Writes the counters of the network device after `seconds`. */
static void device_fill(unsigned int seconds)
{
	static const struct {
		const char *name;
		unsigned int per_second;
	} counters[] = { { "rx_bytes", 250000 }, { "rx_packets", 500 }, { "tx_bytes", 64000 },
			 { "tx_packets", 1000 }, { "rx_dropped", 0 },	{ "tx_dropped", 3 } };
	char path[80], text[16];

	for (unsigned int i = 0; i < sizeof(counters) / sizeof(*counters); i++) {
		snprintf(path, sizeof(path), "/sys/class/net/limpet0/statistics/%s",
			 counters[i].name);
		snprintf(text, sizeof(text), "%u\n", 1000 + seconds * counters[i].per_second);
		put(path, text);
	}
}

static void machine_fill(void)
{
	static char cpuinfo[PROCESSORS * (sizeof(PROCESSOR) + 1000)];
	char *end = cpuinfo;

	assert_int_equal(root_make(), 0);
	for (unsigned int cpu = 0; cpu < PROCESSORS; cpu++)
		end += sprintf(end, PROCESSOR, cpu, 0);
	put("/proc/cpuinfo", cpuinfo);
	device_fill(0);
	put("/proc/meminfo", "MemTotal:        2097152 kB\nMemFree: 1 kB\n");
	put("/proc/cmdline", "root=/dev/vda1 quiet isolcpus=2,3\n");
	put("/proc/sys/kernel/osrelease", "6.1.0-13-amd64\n");
	put("/proc/sys/kernel/version", "#1 SMP PREEMPT_DYNAMIC Debian 6.1.55-1\n");
	put("/sys/class/dmi/id/sys_vendor", "Example & Sons\n");
	put("/sys/class/dmi/id/product_name", "Board 7\n");
	put("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
}

static struct limpet_jobs *jobs_fill(void)
{
	struct limpet_stat *stat = &survey.check.snapshot.stat;

	stat->jobs = calloc(stat->threads, sizeof(*stat->jobs));
	assert_non_null(stat->jobs);
	stat->jobs[1] = survey.check.thread[0].now;
	survey.check.snapshot.info.state = LIMPET_STATE_RUNNING;
	return &stat->jobs[1];
}

static int metrics_write(const char *path)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	jobs_fill();
	prometheus_print(out, &survey.check.snapshot);
	return fclose(out);
}

/* Advances the made-up system by a second. */
static void second_pass(void)
{
	static uint64_t seed = 1;
	struct limpet_stat *stat = &survey.check.snapshot.stat;
	struct limpet_jobs *jobs = &stat->jobs[1];

	device_fill((unsigned int)(survey.check.snapshot.info.uptime_ns / 1000000000) - 9);
	survey.check.snapshot.info.uptime_ns += 1000000000;
	for (unsigned int i = 0; i < stat->threads; i++) {
		stat->thread[i].ticks += MS * (20 + test_random(&seed) % 10) * (i + 1);
		stat->thread[i].dispatches += 1000 * (i + 1);
	}
	for (unsigned int i = 0; i < stat->components; i++)
		stat->component[i].entered += 500 * i;
	for (unsigned int n = 0; n < 1000; n++) {
		times_add(&jobs->late, 4000 + test_random(&seed) % 3000, 0);
		times_add(&jobs->run, 90000 + test_random(&seed) % 20000, 0);
		times_add(&jobs->response, 95000 + test_random(&seed) % 20000, 0);
		jobs->count++;
	}
}

static char *event_make(size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	assert_non_null(out);
	event_print(out, &survey.check.snapshot, 1, true, root);
	second_pass();
	assert_int_equal(fclose(out), 0);
	return text;
}

static char *wiring_make(size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	assert_non_null(out);
	wirings_print(out, &survey.check.snapshot, 1);
	assert_int_equal(fclose(out), 0);
	return text;
}

static int live_serve(const char *where)
{
	static const struct answer_page pages[] = {
		{ "/events", EVENT_CONTENT, event_make },
		{ "/wiring", "application/json", wiring_make },
		{ "/", "text/html; charset=utf-8", page_live },
		{ NULL },
	};
	static struct http http;
	struct sockaddr_in at;
	socklen_t length = sizeof(at);

	jobs_fill();
	assert_int_equal(http_listen(&http, where, pages), 0);
	assert_int_equal(getsockname(http.listener, (void *)&at, &length), 0);
	printf("%d %s\n", ntohs(at.sin_port), root);
	fflush(stdout);
	while (!http_step(&http, -1))
		;
	return 1;
}

int main(int argc, char **argv)
{
	const bool failed = argc > 1 && !strcmp(argv[1], "failed");
	const bool none = argc > 1 && !strcmp(argv[1], "none");

	if (argc != 3)
		return 2;
	if (failed)
		names[NET] = STRANGE;
	survey.check.snapshot.info = (struct limpet_ioc_info){ .cpus = 2,
							       .cpu = { 2, 3 },
							       .ticks_per_ms = MS,
							       .linux_share = 100,
							       .region_size = 32ul << 20,
							       .uptime_ns = 12500000000 };
	if (!none)
		image_fill();
	stat_fill(&survey.check.snapshot.stat, 1);
	stat_fill(&survey.after, 1 + (unsigned int)SECONDS);
	machine_fill();
	survey.span = SECONDS;
	assert_int_equal(survey_prepare(&survey, root, SECONDS), 0);
	check_fill(failed, none);
	device_fill((unsigned int)SECONDS);
	survey_loads_end(&survey, root);
	if (strcmp(argv[1], "live") != 0)
		root_remove(NULL);
	if (!strcmp(argv[1], "metrics"))
		return metrics_write(argv[2]);
	if (!strcmp(argv[1], "live"))
		return live_serve(argv[2]);
	check_judge(&survey.check);
	return !survey_write(&survey, argv[2]);
}
