// SPDX-License-Identifier: GPL-2.0
/*
 * Common Trace Format 1.8: a metadata file, with the names of components and threads, and a stream
 * for each CPU. The result of one read of the ring is a packet.
 */
#include <inttypes.h>
#include <string.h>

#include <cli/command/trace/trace.h>
#include <guest/calls.h>
#include <limpet/guest.h>

#define MAGIC 0xc1fc1fc1u
#define BYTES 8 /* bits of one */

static FILE *stream[LIMPET_CPUS_MAX], *metadata;
static uint64_t discarded[LIMPET_CPUS_MAX];
static unsigned int streams;

/* The layout must match the metadata exactly. */
struct packet {
	uint32_t magic, stream;
	uint64_t begin, end, content, size, discarded;
	uint32_t cpu;
} __attribute__((packed));

struct record {
	uint64_t time;
	uint16_t kind, thread, component, argument;
} __attribute__((packed));

static size_t record_size(unsigned int kind)
{
	return sizeof(struct record) - (*trace_argument_word(kind) ? 0 : sizeof(uint16_t));
}

static void text(FILE *out, const char *format, const char *value)
{
	char safe[128];
	size_t length = 0;

	for (; *value && length < sizeof(safe) - 1; value++)
		if (*value >= ' ' && *value < 127 && *value != '"' && *value != '\\')
			safe[length++] = *value;
	safe[length] = 0;
	fprintf(out, format, safe);
}

static void print_enum(FILE *out, const char *name)
{
	fprintf(out, "enum %s : uint16 {\n\tNONE = %u,\n", name, LIMPET_TRACE_NONE);
}

static void print_components(FILE *out, const struct snapshot *snapshot)
{
	const struct limpet_image *image = image_header(&snapshot->image);

	print_enum(out, "component");
	for (unsigned int i = 0; image && i < image->components; i++) {
		text(out, "\t\"%s\"", image_component_name(&snapshot->image, i));
		fprintf(out, " = %u,\n", i);
	}
	fprintf(out, "};\n\n");
}

/* An id belongs to a different thread on each CPU, so an entry lists all of them. */
static void print_threads(FILE *out, const struct snapshot *snapshot)
{
	char name[128];

	print_enum(out, "thread");
	for (unsigned int id = 0; id < LIMPET_THREADS_MAX; id++)
		for (unsigned int cpu = 0; cpu < snapshot->info.cpus; cpu++) {
			if (!trace_thread_name(snapshot, cpu, id, name, sizeof(name)))
				continue;
			text(out, "\t\"%s", name);
			fprintf(out,
				snapshot->info.cpus > 1 ? " CPU %u\" = %u,\n" : "%.0u\" = %u,\n",
				snapshot->info.cpus > 1 ? cpu : 0, id);
		}
	fprintf(out, "};\n\n");
}

static void print_calls(FILE *out)
{
	print_enum(out, "call");
	for (unsigned int i = 0; i < LIMPET_CALL_COUNT; i++)
		fprintf(out, "\tCALL_%s = %u,\n", trace_call_word(i), i);
	fprintf(out, "};\n\n");
}

static void print_guest_calls(FILE *out)
{
	print_enum(out, "guest_call");
	for (unsigned int i = 0; i < LIMPET_GUEST_FILTER_REST; i++)
		if (guest_call_at((long)i))
			fprintf(out, "\t\"%s\" = %u,\n", trace_guest_word(i), i);
	fprintf(out, "\t\"other\" = %u,\n};\n\n", LIMPET_GUEST_FILTER_REST);
}

static const char *argument_type(unsigned int kind)
{
	if (kind == LIMPET_TRACE_CALL)
		return "enum call";
	if (kind == LIMPET_TRACE_GUEST_CALL || kind == LIMPET_TRACE_GUEST_RESULT)
		return "enum guest_call";
	return "uint16";
}

static void print_event(FILE *out, unsigned int kind)
{
	const char *argument = trace_argument_word(kind);

	fprintf(out,
		"event {\n\tname = \"%s\";\n\tid = %u;\n\tstream_id = 0;\n\tfields := struct {",
		trace_kind_word(kind), kind);
	if (*argument)
		fprintf(out, " %s %s; ", argument_type(kind), argument);
	fprintf(out, "};\n};\n\n");
}

static void print_environment(FILE *out, const struct snapshot *snapshot)
{
	fprintf(out, "env {\n\tdomain = \"kernel\";\n\ttracer_name = \"limpet\";\n");
	text(out, "\tsystem = \"%s\";\n", image_system_name(&snapshot->image));
	fprintf(out, "\tmode = \"%s\";\n};\n\n",
		snapshot->info.mode == LIMPET_MODE_BENEATH ? "beneath" : "beside");
	fprintf(out,
		"clock {\n\tname = tsc;\n\tdescription = \"time-stamp counter\";\n"
		"\tfreq = %" PRIu64 ";\n\toffset = 0;\n};\n\n",
		snapshot->info.ticks_per_ms * 1000);
}

void trace_metadata(FILE *out, const struct snapshot *snapshot)
{
	fprintf(out, "/* CTF 1.8 */\n\n"
		     "typealias integer { size = 16; align = 8; signed = false; } := uint16;\n"
		     "typealias integer { size = 32; align = 8; signed = false; } := uint32;\n"
		     "typealias integer { size = 64; align = 8; signed = false; } := uint64;\n\n"
		     "trace {\n\tmajor = 1;\n\tminor = 8;\n\tbyte_order = le;\n"
		     "\tpacket.header := struct { uint32 magic; uint32 stream_id; };\n};\n\n");
	print_environment(out, snapshot);
	print_components(out, snapshot);
	print_threads(out, snapshot);
	print_calls(out);
	print_guest_calls(out);
	fprintf(out,
		"typealias integer { size = 64; align = 8; signed = false; map = clock.tsc.value; } := time;\n\n"
		"stream {\n\tid = 0;\n"
		"\tpacket.context := struct { time timestamp_begin; time timestamp_end; uint64 content_size; "
		"uint64 packet_size; uint64 events_discarded; uint32 cpu_id; };\n"
		"\tevent.header := struct { time timestamp; uint16 id; };\n"
		"\tevent.context := struct { enum thread thread; enum component component; };\n};\n\n");
	for (unsigned int kind = 0; kind < LIMPET_TRACE_KINDS; kind++)
		print_event(out, kind);
}

static bool ctf_begin(const struct snapshot *snapshot, const char *folder)
{
	char name[16];

	metadata = trace_create(folder, "metadata");
	if (!metadata)
		return false;
	trace_metadata(metadata, snapshot);
	for (streams = 0; streams < snapshot->info.cpus; streams++) {
		snprintf(name, sizeof(name), "cpu%u", streams);
		stream[streams] = trace_create(folder, name);
		discarded[streams] = 0;
		if (!stream[streams])
			return false;
	}
	return true;
}

static void ctf_put(unsigned int cpu, const struct limpet_trace_event *event, size_t count,
		    uint64_t lost)
{
	struct packet packet = { .magic = MAGIC, .cpu = cpu };
	size_t size = sizeof(packet);

	discarded[cpu] += lost;
	if (!count)
		return;
	for (size_t i = 0; i < count; i++)
		size += record_size(event_kind(&event[i]));
	packet.begin = event[0].time;
	packet.end = event[count - 1].time;
	packet.content = packet.size = size * BYTES;
	packet.discarded = discarded[cpu];
	fwrite(&packet, sizeof(packet), 1, stream[cpu]);
	for (size_t i = 0; i < count; i++) {
		const struct record record = {
			event[i].time,
			(uint16_t)event_kind(&event[i]),
			(uint16_t)event_thread(&event[i]),
			(uint16_t)event_component(&event[i]),
			(uint16_t)event_argument(&event[i]),
		};

		fwrite(&record, record_size(record.kind), 1, stream[cpu]);
	}
}

static bool ctf_end(void)
{
	bool ok = trace_close(metadata);

	for (unsigned int i = 0; i < streams; i++)
		ok = trace_close(stream[i]) && ok;
	return ok;
}

const struct trace_format trace_ctf = {
	.name = "ctf",
	.begin = ctf_begin,
	.put = ctf_put,
	.end = ctf_end,
};
