// SPDX-License-Identifier: GPL-2.0
/*
 * Tests the files of `limpet trace`, with events that the test makes. test_trace.py reads some of
 * them with babeltrace2. This program leaves them in the folder that LIMPET_TRACE names.
 */
#include "test.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cli/common/text.h>
#include <limpet/guest.h>
#include <cli/command/trace/trace.h>

#include "json_check.h"
#include "stat_room.h"

#define TRACKS (LIMPET_THREADS_MAX + 1)

static char folder[64];

static int setup(void **state)
{
	const char *wanted = getenv("LIMPET_TRACE");

	(void)state;
	snprintf(folder, sizeof(folder), "%s", wanted ? wanted : "/tmp/limpet-trace-XXXXXX");
	return wanted ? mkdir(folder, 0777) && access(folder, W_OK) : !mkdtemp(folder);
}

static int teardown(void **state)
{
	static const char *const names[] = { "metadata", "cpu0", "cpu1", "trace.json" };
	char path[128];

	(void)state;
	if (getenv("LIMPET_TRACE"))
		return 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		unlink(path);
	}
	return rmdir(folder);
}

static struct snapshot *snapshot_two(void)
{
	static struct snapshot snapshot;

	snapshot.info =
		(struct limpet_ioc_info){ .cpus = 2, .cpu = { 0, 3 }, .ticks_per_ms = 1000000 };
	stat_allocate(&snapshot.stat, 2, 1, 3);
	snapshot.stat.components = 0;
	snapshot.stat.thread[0] = (struct limpet_stat_thread){ .id = 1 };
	snapshot.stat.thread[1] = (struct limpet_stat_thread){ .id = 5 };
	snapshot.stat.thread[2] = (struct limpet_stat_thread){ .cpu = 1, .id = 5 };
	return &snapshot;
}

static struct limpet_trace_event event(uint64_t time, unsigned int kind, unsigned int thread,
				       unsigned int component, unsigned int argument)
{
	return (struct limpet_trace_event){ time, component | argument << 16, thread | kind << 16 };
}

/* Returns the file's text. The caller frees it. */
static char *contents(const char *name)
{
	char path[128], *text = NULL;
	size_t size = 0, capacity = 0;
	FILE *file;
	int c;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "r");
	assert_non_null(file);
	while ((c = getc(file)) != EOF) {
		if (size + 1 >= capacity)
			text = realloc(text, capacity = capacity * 2 + 4096);
		assert_non_null(text);
		text[size++] = (char)c;
	}
	fclose(file);
	assert_non_null(text);
	text[size] = 0;
	return text;
}

static unsigned int count(const char *text, const char *part)
{
	unsigned int found = 0;

	while ((text = strstr(text, part))) {
		text += strlen(part);
		found++;
	}
	return found;
}

/*
 * All slices of all tracks end in the reverse order of their starts, and no slice stays open. At
 * most `deep` are nested.
 */
static void assert_nested(const char *text, unsigned int deep)
{
	unsigned int depth[2][TRACKS] = { 0 }, cpu, track;
	double last[2] = { 0 }, time;
	char phase;

	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (sscanf(line,
			   "{\"ph\": \"%c\", \"name\": %*[^,], \"pid\": %u, \"tid\": %u, \"ts\": %lf",
			   &phase, &cpu, &track, &time) != 4)
			continue;
		assert_true(cpu < 2 && track < TRACKS);
		assert_true(time >= last[cpu]);
		last[cpu] = time;
		if (phase == 'B')
			assert_true(++depth[cpu][track] <= deep);
		if (phase == 'E')
			assert_true(depth[cpu][track]-- > 0);
	}
	for (cpu = 0; cpu < 2; cpu++)
		for (track = 0; track < TRACKS; track++)
			assert_int_equal(depth[cpu][track], 0);
}

/* Returns events: a thread in an invocation invokes two more, another thread runs, and Linux gets the CPU. */
static const struct limpet_trace_event *usual(size_t *length)
{
	static struct limpet_trace_event events[13];
	size_t n = 0;

	events[n++] = event(1000, LIMPET_TRACE_START, 5, 3, 1);
	events[n++] = event(2000, LIMPET_TRACE_INVOKE, 5, 4, 0);
	events[n++] = event(3000, LIMPET_TRACE_INVOKE, 5, 6, 0);
	events[n++] = event(4000, LIMPET_TRACE_FAULT, 5, 6, 14);
	events[n++] = event(5000, LIMPET_TRACE_RETURN, 5, 4, 0);
	events[n++] = event(6000, LIMPET_TRACE_CALL, 5, 4, LIMPET_CALL_ENDPOINT_SEND);
	events[n++] = event(6000, LIMPET_TRACE_EVENT, 1, 4, 3);
	events[n++] = event(7000, LIMPET_TRACE_DISPATCH, 1, 2, 0);
	events[n++] = event(8000, LIMPET_TRACE_PAUSE, LIMPET_TRACE_NONE, LIMPET_TRACE_NONE, 1);
	events[n++] = event(9000, LIMPET_TRACE_RESUME, LIMPET_TRACE_NONE, LIMPET_TRACE_NONE, 0);
	events[n++] = event(9100, LIMPET_TRACE_TIMER, LIMPET_TRACE_NONE, LIMPET_TRACE_NONE, 0);
	events[n++] = event(9200, LIMPET_TRACE_DISPATCH, 5, 4, 2);
	events[n++] = event(9900, LIMPET_TRACE_RETURN, 5, 3, 0);
	assert_true(n <= sizeof(events) / sizeof(*events));
	*length = n;
	return events;
}

static void test_json(void **state)
{
	size_t length;
	const struct limpet_trace_event *events = usual(&length);
	char *text;

	(void)state;
	assert_true(trace_json.begin(snapshot_two(), folder));
	trace_json.put(0, events, length, 0);
	trace_json.put(1, events, 3, 0);
	assert_true(trace_json.end());
	text = contents("trace.json");
	assert_true(json_is_valid(text));
	assert_nested(text, 3);
	assert_int_equal(count(text, "\"name\": \"CPU 1 (Linux CPU 3)\""), 1);
	assert_int_equal(count(text, "\"name\": \"? #5\"}"), 2); /* no image: no names */
	assert_int_equal(count(text, "\"ph\": \"B\", \"name\": \"?\", \"pid\": 0, \"tid\": 6"), 3);
	assert_int_equal(count(text, "\"name\": \"Linux\", \"pid\": 0, \"tid\": 0, \"ts\": 7.000"),
			 1);
	assert_int_equal(count(text, "\"name\": \"kernel\""), 1);
	assert_int_equal(count(text, "\"ENDPOINT_SEND\""), 1);
	assert_int_equal(count(text, "\"args\": {\"kind\": 14}"), 1);
	assert_int_equal(count(text, "\"name\": \"timer\", \"pid\": 0, \"tid\": 0"), 1);
	free(text);
}

/*
 * Lost events close the open slices. An invocation whose start was lost starts at its first event.
 */
static void test_lost(void **state)
{
	const struct limpet_trace_event before = event(10, LIMPET_TRACE_INVOKE, 5, 1, 0),
					after[] = { event(20, LIMPET_TRACE_RETURN, 5, 1, 0),
						    event(30, LIMPET_TRACE_DISPATCH, 5, 1, 3),
						    event(40, LIMPET_TRACE_RETURN, 5, 1, 0) };
	char *text;

	(void)state;
	assert_true(trace_json.begin(snapshot_two(), folder));
	trace_json.put(0, &before, 1, 0);
	trace_json.put(0, after, 3, 77);
	assert_true(trace_json.end());
	text = contents("trace.json");
	assert_true(json_is_valid(text));
	assert_nested(text, 3);
	assert_int_equal(count(text, "\"events lost\""), 1);
	assert_int_equal(count(text, "\"args\": {\"count\": 77}"), 1);
	assert_int_equal(count(text, "before the trace"), 2);
	free(text);
}

/* The file can be read for all values from the kernel. */
static void test_chance(void **state)
{
	struct limpet_trace_event events[200];
	uint64_t seed = 4711, time = 1000;
	char *text;

	(void)state;
	assert_true(trace_json.begin(snapshot_two(), folder));
	for (unsigned int round = 0; round < 50; round++) {
		for (unsigned int i = 0; i < 200; i++) {
			uint64_t chance = test_random(&seed);

			events[i] = event(time += chance % 1000,
					  (chance >> 10) % LIMPET_TRACE_KINDS,
					  (chance >> 20) % (chance & 1 << 30 ? 8 : 65536),
					  (chance >> 40) % 65536, (chance >> 56) % 40);
		}
		trace_json.put(round % 2, events, 200, round % 7 ? 0 : 1);
		time += 1000;
	}
	assert_true(trace_json.end());
	text = contents("trace.json");
	assert_true(json_is_valid(text));
	assert_nested(text, LIMPET_DEPTH_MAX);
	free(text);
}

static void test_ctf(void **state)
{
	size_t length;
	const struct limpet_trace_event *events = usual(&length);
	char *text;

	(void)state;
	assert_true(trace_ctf.begin(snapshot_two(), folder));
	trace_ctf.put(0, events, length, 0);
	trace_ctf.put(1, events, 3, 0);
	trace_ctf.put(1, events + 3, 0, 0); /* nothing: no packet */
	trace_ctf.put(1, events + 3, length - 3, 0);
	assert_true(trace_ctf.end());
	text = contents("metadata");
	assert_memory_equal(text, "/* CTF 1.8 */", 13);
	assert_int_equal(count(text, "freq = 1000000000;"), 1);
	assert_int_equal(count(text, "\"? #5 CPU 1\" = 5"), 1);
	free(text);
}

/* System calls of guests have Linux's names in both formats. */
static void test_guest_calls(void **state)
{
	const struct limpet_trace_event events[] = {
		event(10, LIMPET_TRACE_GUEST_CALL, 5, 1, 257),
		event(20, LIMPET_TRACE_GUEST_RESULT, 5, 1, 257),
		event(30, LIMPET_TRACE_GUEST_CALL, 5, 1, LIMPET_GUEST_FILTER_REST),
	};
	char *text;

	(void)state;
	assert_true(trace_json.begin(snapshot_two(), folder));
	trace_json.put(0, events, 3, 0);
	assert_true(trace_json.end());
	text = contents("trace.json");
	assert_true(json_is_valid(text));
	assert_int_equal(count(text, "\"name\": \"guest-call openat\", \"pid\": 0, \"tid\": 6"), 1);
	assert_int_equal(count(text, "\"name\": \"guest-result openat\""), 1);
	assert_int_equal(count(text, "\"name\": \"guest-call ?\""), 1);
	free(text);
	assert_true(trace_ctf.begin(snapshot_two(), folder));
	trace_ctf.put(0, events, 3, 0);
	assert_true(trace_ctf.end());
	text = contents("metadata");
	assert_int_equal(count(text, "\"openat\" = 257,"), 1);
	assert_int_equal(count(text, "\"other\" = 511,"), 1);
	assert_int_equal(count(text, "enum guest_call number;"), 2);
	free(text);
}

static void test_words(void **state)
{
	(void)state;
	assert_int_equal(trace_kinds("invoke"), 1 << LIMPET_TRACE_INVOKE);
	assert_int_equal(trace_kinds("invoke,call"),
			 1 << LIMPET_TRACE_INVOKE | 1 << LIMPET_TRACE_CALL);
	assert_int_equal(trace_kinds(""), 0);
	assert_int_equal(trace_kinds("start"), 0);
	assert_int_equal(trace_kinds("invoke,"), 0);
	assert_int_equal(trace_kinds(",invoke"), 0);
	assert_int_equal(trace_kinds("invoke,inv"), 0);
	assert_int_equal(trace_kinds("invoked"), 0);
	assert_string_equal(trace_kind_word(LIMPET_TRACE_KINDS), "?");
	assert_string_equal(trace_call_word(LIMPET_CALL_COUNT), "?");
	assert_string_equal(trace_call_word(LIMPET_CALL_NOP), "NOP");
	assert_string_equal(trace_guest_word(0), "read");
	assert_string_equal(trace_guest_word(65535), "?");
	assert_int_equal(trace_kinds("guest-result"), 1 << LIMPET_TRACE_GUEST_RESULT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* The files of the other tests remain, which test_trace.py reads. */
		cmocka_unit_test(test_guest_calls), cmocka_unit_test(test_json),
		cmocka_unit_test(test_lost),	    cmocka_unit_test(test_chance),
		cmocka_unit_test(test_ctf),	    cmocka_unit_test(test_words),
	};

	return cmocka_run_group_tests_name("trace", tests, setup, teardown);
}
