// SPDX-License-Identifier: GPL-2.0
/* Tests what `limpet run --foreground` prints of the log. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cli/host/log_file.h>

#include "test.h"

#define NOON 1769860800u /* 2026-01-31 12:00:00 UTC */
#define NS UINT64_C(1000000000)

static struct log_copy copy;
static char *printed;
static size_t printed_size;

static void copy_begin(void)
{
	free(printed);
	printed = NULL;
	copy = (struct log_copy){ .out = open_memstream(&printed, &printed_size) };
	assert_non_null(copy.out);
	setenv("TZ", "UTC", 1);
}

static void copy_write(uint64_t seconds, const char *text)
{
	log_copy_write(&copy, (NOON + seconds) * NS, "demo", text, strlen(text));
}

/* Lines arrive in parts, and have the time of their first part. */
static void test_lines(void **state)
{
	(void)state;
	copy_begin();
	copy_write(0, "limpet: demo runs\nloop: <3>it ");
	assert_string_equal(printed, "2026-01-31 12:00:00.000000 demo limpet: demo runs\n");
	copy_write(1, "is late");
	copy_write(2, "\nno \x1b name\n");
	assert_string_equal(printed, "2026-01-31 12:00:00.000000 demo limpet: demo runs\n"
				     "2026-01-31 12:00:00.000000 demo loop: [error] it is late\n"
				     "2026-01-31 12:00:02.000000 demo no \\x1b name\n");
	fclose(copy.out);
}

/* Lines for programs are omitted, as in `limpet log`. */
static void test_for_programs(void **state)
{
	(void)state;
	copy_begin();
	copy_write(0, "a: {\"histogram\": [1, 2]}\na: {\"figure\": 1}\na: {\"overruns\": 2}\n"
		      "a: {\"other\": 3}\n");
	assert_string_equal(printed, "2026-01-31 12:00:00.000000 demo a: {\"other\": 3}\n");
	fclose(copy.out);
}

/* A line that is longer than the buffer is printed in parts, without a loss. */
static void test_long_line(void **state)
{
	static char line[3 * LOG_COPY_LINE];
	size_t count = 0;

	(void)state;
	copy_begin();
	memset(line, 'x', sizeof(line) - 2);
	strcpy(line + sizeof(line) - 2, "\n");
	copy_write(0, line);
	for (const char *at = printed; *at; at++)
		count += *at == 'x';
	assert_int_equal(count, sizeof(line) - 2);
	fclose(copy.out);
}

/* The log's file has all lines as they were written. Without a copy nothing is printed. */
static void test_file_is_raw(void **state)
{
	static const char text[] = "a: {\"figure\": 1}\na: text\n";
	struct log_file log = { .system = "demo", .times = -1 };
	char raw[64] = "";

	(void)state;
	copy_begin();
	log.fd = memfd_create("log", 0);
	log_file_write(&log, text, strlen(text));
	log.copy.out = copy.out;
	log_file_write(&log, text, strlen(text));
	assert_int_equal(pread(log.fd, raw, sizeof(raw) - 1, 0), 2 * strlen(text));
	assert_string_equal(raw + strlen(text), text);
	assert_non_null(strstr(printed, " demo a: text\n"));
	assert_int_equal(strlen(printed), strlen("2026-01-31 12:00:00.000000 demo a: text\n"));
	close(log.fd);
	fclose(copy.out);
}

/* An error of stdout, such as a reader that has ended, does not end the host process or lose lines of the file. */
static void test_output_fails(void **state)
{
	(void)state;
	copy = (struct log_copy){ .out = fopen("/dev/full", "w") };
	assert_non_null(copy.out);
	for (int i = 0; i < 10000; i++)
		copy_write(0, "limpet: demo runs\n");
	assert_int_equal(copy.length, 0);
	fclose(copy.out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),	     cmocka_unit_test(test_for_programs),
		cmocka_unit_test(test_long_line),    cmocka_unit_test(test_file_is_raw),
		cmocka_unit_test(test_output_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
