// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tests lib/executive: handler threads, texts of guests, and lines that handler threads pass to the component's
 * thread.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <executive/linux.h>
#include <executive/report.h>
#include <executive/start.h>
#include <runtime/component.h>

#include "guest_fake.h"
#include "points.h"

#define TEXT_AT 0x7000ul
#define RING 4096

_Static_assert(LINUX_EPERM == EPERM && LINUX_ENOENT == ENOENT && LINUX_EINTR == EINTR &&
		       LINUX_E2BIG == E2BIG && LINUX_ECHILD == ECHILD && LINUX_EAGAIN == EAGAIN &&
		       LINUX_EBUSY == EBUSY && LINUX_ENOMEM == ENOMEM && LINUX_EFAULT == EFAULT &&
		       LINUX_EINVAL == EINVAL && LINUX_ENAMETOOLONG == ENAMETOOLONG &&
		       LINUX_ENOSYS == ENOSYS && LINUX_EOPNOTSUPP == EOPNOTSUPP,
	       "errors of Linux");
_Static_assert(LINUX_SIGKILL == SIGKILL && LINUX_SIGSYS == SIGSYS, "signals of Linux");

static uint8_t ring[RING] __attribute__((aligned(64)));
static void (*point)(void);

void fake_point(void)
{
	if (point)
		point();
}

struct executive_answer executive_event(word event, word w0, word w1, word w2, word w3, word w4,
					word w5)
{
	return executive_served((long)(event + w0 + w1 + w2 + w3 + w4 + w5));
}

/* Runs the component's own thread, which serves, and prints lines until it is woken. */
void component_main(const struct limpet_info *info)
{
	(void)info;
	report_init(ring, sizeof(ring));
	if (!executive_start(LIMPET_GUEST_WANTS(LIMPET_GUEST_END)))
		return;
	while (!report_serve(LIMPET_NEVER))
		;
}

static int setup(void **state)
{
	(void)state;
	point = NULL;
	fake_reset();
	return 0;
}

static void test_serve(void **state)
{
	(void)state;
	assert_true(fake_main());
	assert_int_equal(fake_created, FAKE_SPARES);
	assert_int_equal(fake_kinds, 1 << LIMPET_GUEST_END);
	assert_string_equal(fake_text(), "serves guests with 4 threads\n");
}

static void test_serve_refused(void **state)
{
	(void)state;
	fake_serve_status = LIMPET_EFULL;
	assert_int_equal(executive_serve(0), LIMPET_EFULL);
	assert_int_equal(fake_created, 1);
	fake_reset();
	fake_serve_status = LIMPET_ENOENT;
	assert_false(fake_main());
	assert_string_equal(fake_text(),
			    "cannot serve guests: the named object or entry does not exist\n");
	fake_reset();
	fake_created = FAKE_SPARES;
	assert_int_equal(executive_serve(0), LIMPET_ENOENT);
}

static void test_text(void **state)
{
	char own[1000];

	(void)state;
	for (size_t length = 0; length < sizeof(own) - 1; length += 37) {
		char text[sizeof(own)];

		memset(text, 'x', length);
		text[length] = 0;
		fake_put_text(TEXT_AT + 4096 - 300, text);
		memset(own, 'y', sizeof(own));
		assert_int_equal(executive_read_text(own, sizeof(own), TEXT_AT + 4096 - 300),
				 length);
		assert_string_equal(own, text);
		assert_int_equal(executive_read_text(own, length + 1, TEXT_AT + 4096 - 300),
				 length);
		assert_int_equal(executive_read_text(own, length, TEXT_AT + 4096 - 300),
				 LIMPET_ERANGE);
	}
}

/* The last byte of the last page is read, and no byte after it. */
static void test_text_at_end(void **state)
{
	char own[100];

	(void)state;
	fake_put_text(0x9000 - 4, "abc");
	assert_int_equal(executive_read_text(own, sizeof(own), 0x9000 - 4), 3);
	fake_put(0x9000 - 4, "abcd", 4);
	assert_int_equal(executive_read_text(own, sizeof(own), 0x9000 - 4), LIMPET_EFAULT);
	assert_int_equal(executive_read_text(own, 4, 0x9000 - 4), LIMPET_ERANGE);
	assert_int_equal(executive_read_text(own, sizeof(own), 0), LIMPET_EFAULT);
	assert_int_equal(executive_read_text(own, sizeof(own), ~0ul), LIMPET_EFAULT);
	assert_int_equal(executive_read_text(own, 0, 0x9000 - 4), LIMPET_ERANGE);
}

static void test_registers(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < FAKE_REGISTERS; i++)
		fake_register[i] = 100 + i;
	for (unsigned int i = 0; i < FAKE_REGISTERS; i++)
		assert_int_equal(executive_register(i), 100 + i);
	assert_int_equal(executive_register(FAKE_REGISTERS), 0);
	assert_int_equal(executive_register_set(LIMPET_GUEST_R9, 5), LIMPET_OK);
	assert_int_equal(fake_register[9], 5);
	assert_int_equal(fake_register[8], 108);
	assert_int_equal(fake_register[10], 110);
	fake_orphan = true;
	assert_int_equal(executive_register(3), 0);
}

static void test_report(void **state)
{
	(void)state;
	fake_main();
	fake_text();
	report_line("one\n", 4);
	assert_int_equal(fake_wakes, 1);
	report_line("two\n", 4);
	assert_int_equal(fake_wakes, 1); /* it is not woken for each line */
	assert_true(fake_main());
	assert_string_equal(fake_text(), "one\ntwo\n");
	report_line("three\n", 6);
	assert_int_equal(fake_wakes, 1); /* it sleeps for a period, and checks again */
	assert_true(fake_main());
	assert_string_equal(fake_text(), "three\n");
	assert_true(fake_main());
	report_line("four\n", 5);
	assert_int_equal(fake_wakes, 2);
	report_wake();
	assert_false(fake_main());
	assert_string_equal(fake_text(), "four\n");
}

static void test_report_drops(void **state)
{
	char expected[100];
	unsigned int lines = 0;

	(void)state;
	fake_main();
	fake_text();
	for (; lines < 2000; lines++)
		report_line("0123456789\n", 11);
	report_drop();
	fake_main();
	snprintf(expected, sizeof(expected), "%u lines were dropped", 2000 - 2048 / 11 + 1);
	assert_non_null(strstr(fake_text(), expected));
	fake_main();
	report_line("on\n", 3);
	fake_main();
	assert_string_equal(fake_text(), "on\n");
}

static unsigned int depth, written, chance;

static void line_write(void)
{
	char line[20];

	depth++;
	snprintf(line, sizeof(line), "line %06u\n", written++);
	report_line(line, 12);
	depth--;
}

/* Another handler thread starts at any access, and also writes a line. */
static void line_nested(void)
{
	chance = chance * 1103515245 + 12345;
	if (depth < 3 && !(chance >> 16 & 15))
		line_write();
}

static void test_report_nested(void **state)
{
	(void)state;
	fake_main();
	fake_text();
	for (unsigned int i = 0; i < 2000; i++) {
		const char *text;
		unsigned int before = written;

		point = line_nested;
		line_write();
		point = NULL;
		while (fake_main() && *(text = fake_text()))
			for (; *text; text += 12, before++) {
				assert_memory_equal(text, "line ", 5);
				assert_true(text[11] == '\n');
			}
		assert_int_equal(before, written);
	}
	assert_true(written > 4000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_serve, setup),
		cmocka_unit_test_setup(test_serve_refused, setup),
		cmocka_unit_test_setup(test_text, setup),
		cmocka_unit_test_setup(test_text_at_end, setup),
		cmocka_unit_test_setup(test_registers, setup),
		cmocka_unit_test_setup(test_report, setup),
		cmocka_unit_test_setup(test_report_drops, setup),
		cmocka_unit_test_setup(test_report_nested, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
