// SPDX-License-Identifier: GPL-2.0
/* Tests the output of commands about a system, from snapshots that the test makes. */
#include "test.h"
#include "stat_random.h"

#include <cli/command/ps/print.h>
#include <cli/command/stat/print.h>
#include <cli/common/fault.h>
#include <cli/common/json.h>
#include <cli/common/text.h>

#include "json_check.h"

/* Returns the text that a function prints. The caller frees it. */
static char *printed(void (*print)(FILE *out, const struct snapshot *snapshot),
		     const struct snapshot *snapshot)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	print(out, snapshot);
	fclose(out);
	return text;
}

static struct snapshot *snapshot_small(void)
{
	static struct snapshot snapshot;

	snapshot.info = (struct limpet_ioc_info){
		.version = 1,
		.state = LIMPET_STATE_RUNNING,
		.cpus = 1,
		.host_pid = 77,
		.uptime_ns = 2000000000,
		.ticks_per_ms = 1000000,
	};
	stat_allocate(&snapshot.stat, 1, 1, 1);
	snapshot.stat.component[0] = (struct limpet_stat_component){
		.index = 3,
		.faults = 1,
		.entered = 12,
		.left = 10,
		.fault_kind = 14,
		.fault_address = 0xdead000,
		.fault_ip = 0x401000,
		.fault_error = 6,
	};
	snapshot.stat.thread[0] = (struct limpet_stat_thread){
		.state = LIMPET_THREAD_WAITING,
		.urgency = 9,
		.ticks = 500000000,
		.dispatches = 40,
		.misses = 6,
	};
	return &snapshot;
}

static void assert_prints(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in:\n%s", part, text);
}

static void test_ps(void **state)
{
	struct snapshot *snapshot = snapshot_small();
	char *text = printed(ps_print, snapshot);

	(void)state;
	assert_prints(text, "running for 2.000 s, host process 77, on Linux CPU 0");
	assert_prints(text, "write of unmapped address 0xdead000 at 0x401000");
	assert_prints(text, "waiting");
	assert_prints(text, " waiting         -     0         40      6  25.000\n");
	free(text);
	text = printed(ps_print_json, snapshot);
	assert_true(json_is_valid(text));
	assert_prints(text, "\"restarts\": 0, \"faults\": 1, \"invocations\": 12, \"inside\": 2, ");
	assert_prints(text, "\"died_of\": null");
	assert_prints(text, "\"priority\": null, \"urgency\": 9");
	assert_prints(text, "\"run_us\": 500000.000, \"percent\": 25.000");
	assert_prints(text, "\"misses\": 6, ");
	assert_prints(text, "\"mode\": \"beside\"");
	free(text);
	snapshot->info.mode = LIMPET_MODE_BENEATH;
	text = printed(ps_print, snapshot);
	assert_prints(text, "running for 2.000 s, beneath Linux, on its CPU 0");
	free(text);
}

/* Only a component's own thread has the priority of the system file. */
static void test_priority(void **state)
{
	struct {
		struct limpet_image header;
		struct limpet_image_component component[3];
	} bytes = { .component[1].priority = 20, .component[2] = { .priority = 30, .cpu = 1 } };
	struct snapshot *snapshot = snapshot_small();
	struct limpet_stat_thread *thread;

	(void)state;
	bytes.header.components = 3;
	bytes.header.components_at = sizeof(bytes.header);
	snapshot->image = (struct image){ (unsigned char *)&bytes, sizeof(bytes) };
	stat_allocate(&snapshot->stat, 2, 0, 4);
	thread = snapshot->stat.thread;
	for (unsigned int i = 0; i < 4; i++)
		thread[i] = (struct limpet_stat_thread){ .id = i, .home = i ? 1 : 0, .urgency = 1 };
	thread[3] = (struct limpet_stat_thread){ .cpu = 1, .id = 9, .home = 2 };
	snapshot_index(snapshot);
	assert_int_equal(snapshot_priority(snapshot, &thread[0]), 0);
	assert_int_equal(snapshot_priority(snapshot, &thread[1]), 20);
	assert_int_equal(snapshot_priority(snapshot, &thread[2]), 0);
	assert_int_equal(snapshot_priority(snapshot, &thread[3]), 30);
	assert_null(snapshot_own_thread(snapshot, 0, 0));
	assert_null(snapshot_own_thread(snapshot, 2, 1));
	assert_ptr_equal(snapshot_own_thread(snapshot, 0, 1), &thread[1]);
	snapshot->image = (struct image){ 0 };
}

/* A component failed if its own thread is dead, but not if a spare thread is. */
static void test_failed(void **state)
{
	struct {
		struct limpet_image header;
		struct limpet_image_component component[2];
	} bytes = { .component[1].priority = 20 };
	struct snapshot *snapshot = snapshot_small();
	char *text;

	(void)state;
	bytes.header.components = 2;
	bytes.header.components_at = sizeof(bytes.header);
	snapshot->image = (struct image){ (unsigned char *)&bytes, sizeof(bytes) };
	stat_allocate(&snapshot->stat, 1, 1, 2);
	snapshot->stat.component[0].index = 1;
	for (unsigned int i = 0; i < 2; i++)
		snapshot->stat.thread[i] = (struct limpet_stat_thread){ .id = i, .home = 1 };
	snapshot->stat.thread[1].state = LIMPET_THREAD_DEAD;
	snapshot_index(snapshot);
	text = printed(ps_print, snapshot);
	assert_null(strstr(text, "failed"));
	free(text);
	snapshot->stat.thread[0].state = LIMPET_THREAD_DEAD;
	text = printed(ps_print, snapshot);
	assert_prints(text, " 0  failed: its thread is dead\n");
	free(text);
	text = printed(ps_print_json, snapshot);
	assert_prints(text, "\"failed\": true, \"stopped\": false, \"restarts\": 0");
	free(text);
	snapshot->stat.component[0].closed = 1;
	text = printed(ps_print, snapshot);
	assert_prints(text, " 0  failed: its thread is dead\n");
	free(text);
	snapshot->stat.component[0].index = 0; /* the record has no thread */
	text = printed(ps_print, snapshot);
	assert_prints(text, " 0  stopped: it cannot be invoked\n");
	free(text);
	text = printed(ps_print_json, snapshot);
	assert_prints(text, "\"failed\": false, \"stopped\": true, \"restarts\": 0");
	free(text);
	snapshot->image = (struct image){ 0 };
}

static void test_dead_thread_has_a_reason(void **state)
{
	struct snapshot *snapshot = snapshot_small();
	struct limpet_stat_thread *thread = snapshot->stat.thread;
	char *text;

	(void)state;
	thread->state = LIMPET_THREAD_DEAD;
	text = printed(ps_print, snapshot);
	assert_prints(text, " dead ");
	assert_prints(text, " 25.000  write of unmapped address 0xdead000 at 0x401000 in ?\n");
	free(text);
	text = printed(ps_print_json, snapshot);
	assert_prints(text,
		      "\"died_of\": \"write of unmapped address 0xdead000 at 0x401000 in ?\"");
	free(text);
	snapshot->stat.component[0].fault_thread = 7;
	text = printed(ps_print, snapshot);
	assert_prints(text, " 25.000  its component was stopped\n");
	free(text);
}

static void test_stat(void **state)
{
	struct snapshot *snapshot = snapshot_small();
	char *text;

	(void)state;
	snapshot->stat.cpu[0].frames_free = 123;
	text = printed(stat_print, snapshot);
	assert_prints(text, "       123  frames free");
	free(text);
	text = printed(stat_print_json, snapshot);
	assert_true(json_is_valid(text));
	assert_prints(text, "\"invocations\": 12");
	free(text);
}

/* Wrong values from the module can cause senseless output, but do no other harm. */
static void test_random_snapshots(void **state)
{
	static struct snapshot snapshot;
	uint64_t seed = 4711;
	char *text;

	(void)state;
	for (int round = 0; round < 50; round++) {
		stat_random(&snapshot.stat, &seed);
		snapshot.info.state = (uint32_t)test_random(&seed);
		snapshot.info.cpus = LIMPET_CPUS_MAX;
		text = printed(ps_print_json, &snapshot);
		assert_true(json_is_valid(text));
		free(text);
		text = printed(stat_print_json, &snapshot);
		assert_true(json_is_valid(text));
		free(text);
		free(printed(ps_print, &snapshot));
	}
}

static void test_faults(void **state)
{
	struct limpet_stat_component c = { 0 };
	char text[160];

	(void)state;
	fault_describe(&c, text, sizeof(text));
	assert_string_equal(text, "");
	c.faults = 1;
	c.fault_ip = 0x10;
	fault_describe(&c, text, sizeof(text));
	assert_string_equal(text, "divide error (0) at 0x10");
	c.fault_kind = LIMPET_FAULT_SYSCALL;
	c.fault_address = 39;
	fault_describe(&c, text, sizeof(text));
	assert_string_equal(text, "system call 39 at 0x10");
	c.fault_kind = 14;
	c.fault_error = 1 | 4 | 16;
	fault_describe(&c, text, sizeof(text));
	assert_string_equal(text, "execution of forbidden address 0x27 at 0x10");
	c.fault_kind = 9999;
	fault_describe(&c, text, sizeof(text));
	assert_string_equal(text, "exception (9999) at 0x10");
}

/* The output is valid JSON for any bytes. */
static void test_json_text(void **state)
{
	uint64_t seed = 99;
	char bytes[40];
	char *text;
	size_t size;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		struct json json;
		FILE *out = open_memstream(&text, &size);

		for (size_t i = 0; i < sizeof(bytes) - 1; i++)
			bytes[i] = (char)(test_random(&seed) >> 32);
		bytes[sizeof(bytes) - 1] = 0;
		json_begin(&json, out);
		json_text(&json, bytes, bytes);
		json_text(&json, "null", NULL);
		json_end(&json);
		fclose(out);
		if (!json_is_valid(text))
			fail_msg("not JSON: %s", text);
		free(text);
	}
}

static void test_safe_text(void **state)
{
	static const char line[] = "a\tb\x1b[2J\x9b \xc3\xa4 \xc2\x9b \xff\n";
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	text_print_safely(out, line, sizeof(line) - 1);
	fclose(out);
	assert_string_equal(text, "a\tb\\x1b[2J\\x9b \xc3\xa4 \\xc2\\x9b \\xff\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ps),
		cmocka_unit_test(test_stat),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_random_snapshots),
		cmocka_unit_test(test_priority),
		cmocka_unit_test(test_failed),
		cmocka_unit_test(test_dead_thread_has_a_reason),
		cmocka_unit_test(test_json_text),
		cmocka_unit_test(test_safe_text),
	};

	return cmocka_run_group_tests_name("output", tests, NULL, NULL);
}
