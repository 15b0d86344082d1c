// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include <cli/common/command.h>
#include <cli/common/folder.h>
#include <cli/common/option.h>
#include <cli/common/report.h>
#include <cli/common/rings.h>
#include <cli/common/system.h>
#include <cli/common/text.h>
#include <cli/command/trace/trace.h>
#include <client/device.h>

#define FOLDER "limpet-trace"
#define SECONDS_MAX 1000000
#define LAST_LOOKS 50 /* maximum number of reads after the end of the trace */

struct tracer {
	const struct trace_format *format;
	const char *folder;
	unsigned int kinds;
	double seconds; /* 0: until interrupted */
	uint64_t events;
	struct rings rings;
	struct snapshot snapshot;
};

/* Removes events of kinds that only a newer kernel has. Returns the number of the others. */
static size_t known(struct limpet_trace_event *event, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (event_kind(&event[i]) < LIMPET_TRACE_KINDS)
			event[kept++] = event[i];
	return kept;
}

static void events_put(void *to, unsigned int cpu, struct limpet_trace_event *event, size_t count,
		       uint64_t lost)
{
	struct tracer *tracer = to;

	count = known(event, count);
	tracer->events += count;
	tracer->format->put(cpu, event, count, lost);
}

static int report_refused(int error)
{
	if (error == -EBUSY)
		return report("Another `limpet trace` runs. Wait for it, or interrupt it.");
	if (error == -ENOENT)
		return report(
			"This system has no trace rings. Set the key trace of the table [system] in its system "
			"file.");
	if (error == -ENODEV)
		return report("No system runs. Start one with `limpet run IMAGE`.");
	return report("LIMPET_IOC_TRACE: %s", strerror(-error));
}

static void collect(struct tracer *tracer)
{
	struct rings *rings = &tracer->rings;
	double until = seconds_now() + tracer->seconds;

	while (!interruption_came() && !rings->ended &&
	       (tracer->seconds == 0 || seconds_now() < until)) {
		rings_read(rings);
		rings_pause();
	}
	rings_end(rings);
	for (unsigned int looks = 0; looks < LAST_LOOKS && rings_read(rings); looks++)
		rings_pause();
}

static void say(const struct tracer *tracer)
{
	printf("%" PRIu64 " events in %s\n", tracer->events, tracer->folder);
	if (tracer->rings.ended)
		printf("the system ended meanwhile\n");
	fflush(stdout);
	if (tracer->rings.lost)
		fprintf(stderr,
			"limpet trace: %" PRIu64
			" events were overwritten before they could be read: choose fewer "
			"with --events, or a larger [system] trace\n",
			tracer->rings.lost);
}

static int trace(struct tracer *tracer)
{
	int error = rings_begin(&tracer->rings, tracer->kinds);

	if (error < 0)
		return report_refused(error);
	if (!folder_make(tracer->folder) ||
	    !tracer->format->begin(&tracer->snapshot, tracer->folder))
		return COMMAND_REFUSED;
	collect(tracer);
	if (!tracer->format->end())
		return COMMAND_REFUSED;
	say(tracer);
	return COMMAND_OK;
}

static int trace_open(struct tracer *tracer)
{
	int code;

	if (!snapshot_take(&tracer->snapshot))
		return COMMAND_REFUSED;
	tracer->rings.cpus = tracer->snapshot.info.cpus;
	tracer->rings.fd = system_open();
	if (tracer->rings.fd < 0)
		return system_report(tracer->rings.fd);
	interruption_catch();
	code = trace(tracer);
	close(tracer->rings.fd);
	snapshot_release(&tracer->snapshot);
	return code;
}

static bool format_take(void *to, const char *name)
{
	static const struct trace_format *const formats[] = { &trace_ctf, &trace_json };
	struct tracer *tracer = to;

	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (!strcmp(name, formats[i]->name)) {
			tracer->format = formats[i];
			return true;
		}
	return false;
}

static bool events_take(void *to, const char *words)
{
	struct tracer *tracer = to;

	tracer->kinds = trace_kinds(words);
	return tracer->kinds;
}

static int trace_main(const struct command *command, int argc, char **argv)
{
	static struct tracer tracer = { .format = &trace_ctf,
					.rings.put = events_put,
					.rings.to = &tracer,
					.folder = FOLDER,
					.kinds = LIMPET_TRACE_USUAL };
	long seconds = 1;
	const struct command_option options[] = {
		{ .name = "seconds", .number = &seconds, .high = SECONDS_MAX },
		{ .name = "output", .letter = 'o', .text = &tracer.folder },
		OPTION_TAKE("format", format_take, &tracer, "ctf or json"),
		OPTION_TAKE("events", events_take, &tracer, "some of " TRACE_EVENTS),
		OPTION_END,
	};
	int code;

	if (!options_take(command, argc, argv, options, (struct command_arguments){ 0 }, &code))
		return code;
	tracer.seconds = (double)seconds;
	return trace_open(&tracer);
}

const struct command trace_command = {
	.name = "trace",
	.summary = "records events of the kernels, for a trace viewer",
	.arguments = "[--seconds N] [-o DIR] [--format ctf|json] [--events LIST]",
	.help = "\n"
		"  --seconds N   duration; 0: until interrupted. Default: 1\n"
		"  -o, --output DIR\n"
		"                a folder that is empty or does not exist. Default: " FOLDER "\n"
		"  --format FORMAT\n"
		"                ctf: Common Trace Format 1.8, for `babeltrace2 DIR` and Trace Compass;\n"
		"                json: DIR/trace.json, for ui.perfetto.dev and chrome://tracing.\n"
		"                Default: ctf\n"
		"  --events LIST some of " TRACE_EVENTS ".\n"
		"                Default: all except call. guest-call and guest-result are system calls of\n"
		"                Linux programs, and their results, when an executive gets them\n\n"
		"Events that come faster than they can be read are lost, and counted.\n",
	.run = trace_main,
};
