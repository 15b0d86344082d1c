// SPDX-License-Identifier: GPL-2.0
/* Tests crash records. The output is bounded and ends, for any bytes that a component writes. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cli/command/crash/crash_log.h>
#include <cli/command/crash/crash_print.h>
#include <cli/common/source.h>

#include "json_check.h"
#include "test.h"

#define PAGE LIMPET_CRASH_PAGE
#define RECORDS 3

static _Alignas(4096) char memory[(RECORDS + 1) * PAGE];

static struct limpet_crash *record(unsigned int slot)
{
	return (struct limpet_crash *)(memory + (slot + 1) * PAGE);
}

static struct limpet_crash_log *head(void)
{
	return (struct limpet_crash_log *)memory;
}

static int setup(void **state)
{
	(void)state;
	memset(memory, 0, sizeof(memory));
	*head() = (struct limpet_crash_log){ .magic = LIMPET_CRASH_MAGIC,
					     .version = LIMPET_CRASH_VERSION,
					     .records = RECORDS,
					     .crashes = 5,
					     .ticks_per_ms = 1000 };
	for (uint64_t n = 2; n < 5; n++) {
		*record(n % RECORDS) =
			(struct limpet_crash){ .sequence = 2, .number = n, .frames = 1 };
		strcpy(record(n % RECORDS)->name, "fragile");
	}
	return 0;
}

static void test_takes(void **state)
{
	struct limpet_crash crash;
	struct crash_log log;

	(void)state;
	assert_true(crash_log_open(&log, memory, sizeof(memory)));
	assert_int_equal(crash_log_first(&log), 2);
	for (uint64_t n = 2; n < 5; n++)
		assert_true(crash_log_take(&log, n, &crash));
	assert_false(crash_log_take(&log, 1, &crash)); /* overwritten */
	record(0)->sequence = 3;
	assert_false(crash_log_take(&log, 3, &crash)); /* being written */
	record(0)->sequence = 0;
	assert_false(crash_log_take(&log, 3, &crash)); /* never written */
}

static void test_refuses(void **state)
{
	struct limpet_crash_log good = *head();
	struct crash_log log;

	(void)state;
	assert_false(crash_log_open(&log, memory, PAGE));
	head()->records = RECORDS + 1;
	assert_false(crash_log_open(&log, memory, sizeof(memory)));
	*head() = good;
	head()->records = 0;
	assert_false(crash_log_open(&log, memory, sizeof(memory)));
	*head() = good;
	head()->version++;
	assert_false(crash_log_open(&log, memory, sizeof(memory)));
	*head() = good;
	head()->magic = 0;
	assert_false(crash_log_open(&log, memory, sizeof(memory)));
	*head() = good;
	head()->ticks_per_ms = 0;
	assert_false(crash_log_open(&log, memory, sizeof(memory)));
}

static void test_bounds(void **state)
{
	struct limpet_crash crash;
	struct crash_log log;

	(void)state;
	assert_true(crash_log_open(&log, memory, sizeof(memory)));
	record(0)->frames = LIMPET_CRASH_FRAMES + 1;
	assert_false(crash_log_take(&log, 3, &crash));
	record(0)->frames = 0;
	record(0)->callers = LIMPET_CRASH_CALLERS + 1;
	assert_false(crash_log_take(&log, 3, &crash));
	record(0)->callers = LIMPET_CRASH_CALLERS;
	memset(record(0)->name, 'x', sizeof(record(0)->name));
	memset(record(0)->caller_name, 'x', sizeof(record(0)->caller_name));
	memset(record(0)->caller, 'x', sizeof(record(0)->caller));
	assert_true(crash_log_take(&log, 3, &crash));
	assert_int_equal(strlen(crash.name), sizeof(crash.name) - 1);
	assert_int_equal(strlen(crash.caller_name[0]), sizeof(crash.caller_name[0]) - 1);
	assert_int_equal(strlen(crash.caller[0].symbol), LIMPET_CRASH_SYMBOL - 1);
}

/* Random records are printed as valid JSON, and as text that ends. */
static void test_prints(void **state)
{
	struct crash_log log;
	struct json json;
	char *text;
	size_t size;

	(void)state;
	assert_true(crash_log_open(&log, memory, sizeof(memory)));
	for (unsigned int round = 0; round < 200; round++) {
		struct limpet_crash crash;
		FILE *out = open_memstream(&text, &size);

		for (size_t i = 0; i < sizeof(crash); i++)
			((char *)record(0))[i] = (char)random();
		record(0)->sequence = 2;
		record(0)->number = 3;
		record(0)->frames %= LIMPET_CRASH_FRAMES + 1;
		record(0)->callers %= LIMPET_CRASH_CALLERS + 1;
		assert_true(crash_log_take(&log, 3, &crash));
		json_begin(&json, out);
		json_array(&json, "supervisors");
		crash_json_head(&json, 0, &log);
		crash_json(&json, &log, &crash);
		crash_json_tail(&json);
		json_array_end(&json);
		json_end(&json);
		fclose(out);
		assert_true(json_is_valid(text));
		free(text);
		out = open_memstream(&text, &size);
		crash_print_head(out, 0, &log);
		crash_print(out, &log, &crash);
		fclose(out);
		assert_non_null(strstr(text, "CPU 0: 5 crashes\n"));
		free(text);
	}
}

static void *write_records(void *stop)
{
	struct limpet_crash *r = record(0);

	for (uint32_t n = 2; !__atomic_load_n((int *)stop, __ATOMIC_RELAXED); n += 2) {
		__atomic_store_n(&r->sequence, n + 1, __ATOMIC_RELAXED);
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		for (unsigned int i = 0; i < LIMPET_CRASH_REGISTERS; i++)
			__atomic_store_n(&r->registers[i], n, __ATOMIC_RELAXED);
		__atomic_store_n(&r->sequence, n + 2, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* During writes, all parts of a record belong to the same write. */
static void test_consistent(void **state)
{
	struct limpet_crash crash;
	struct crash_log log;
	unsigned int taken = 0;
	pthread_t writer;
	int stop = 0;

	(void)state;
	assert_true(crash_log_open(&log, memory, sizeof(memory)));
	assert_int_equal(pthread_create(&writer, NULL, write_records, &stop), 0);
	for (unsigned int i = 0; i < 20000; i++) {
		if (!crash_log_take(&log, 3, &crash))
			continue;
		taken++;
		for (unsigned int k = 1; k < LIMPET_CRASH_REGISTERS; k++)
			assert_int_equal(crash.registers[k], crash.registers[0]);
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	pthread_join(writer, NULL);
	assert_true(taken);
}

extern const char __executable_start[];

static void line_function(void)
{
}
enum { LINE_AFTER = __LINE__ };

/* Returns whether a line is one of line_function(). */
static bool is_function(const char *line)
{
	const char *number = strstr(line, "test_crash.c:");
	const int found = number ? atoi(number + strlen("test_crash.c:")) : 0;

	return found >= LINE_AFTER - 3 && found < LINE_AFTER;
}

/* The program itself is the ELF file of a component. Names that could be paths are not looked up. */
static void test_source(void **state)
{
	const uint64_t address = (uint64_t)((const char *)line_function - __executable_start);
	char folder[] = "/tmp/limpet test 'XXXXXX", self[256], line[SOURCE_LINE], path[64];
	const ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	(void)state;
	assert_true(length > 0);
	self[length] = 0;
	source_find("fragile", address, false, line);
	assert_string_equal(line, ""); /* no folder is set */
	assert_non_null(mkdtemp(folder));
	assert_false(source_begin("/dev/null"));
	assert_false(source_begin("/nonexistent"));
	assert_true(source_begin(folder));
	source_find("fragile", address, false, line);
	assert_string_equal(line, ""); /* no file */
	snprintf(path, sizeof(path), "%s/fragile.elf", folder);
	assert_int_equal(symlink(self, path), 0);
	source_find("fragile", address, false, line);
	assert_true(is_function(line));
	source_find("fragile", address + 1, true, line);
	assert_true(is_function(line));
	source_find("fragile", 1, false, line);
	assert_string_equal(line, "");
	source_find("../fragile", address, false, line);
	assert_string_equal(line, "");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_takes, setup),
		cmocka_unit_test_setup(test_refuses, setup),
		cmocka_unit_test_setup(test_bounds, setup),
		cmocka_unit_test_setup(test_prints, setup),
		cmocka_unit_test_setup(test_consistent, setup),
		cmocka_unit_test(test_source),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
