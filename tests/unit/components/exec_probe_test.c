// SPDX-License-Identifier: BSD-2-Clause
/* Tests exec.probe: the answers of each mode, its own calls, and its reports of events that must not occur. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include <executive/linux.h>
#include <guest/numbers.h>
#include <import/sched.h>
#include <runtime/component.h>
#include <runtime/time.h>

#include "guest_fake.h"
#include "probe.h"

#define ID 7
#define ADDRESS 0x5000ul
#define own(number, ...) fake_call(ID, number, __VA_ARGS__, 0, 0, 0)

static long counter(enum counter n)
{
	return (long)own(501, n, 0, 0).value;
}

static int setup(void **state)
{
	(void)state;
	fake_reset();
	memset(counters, 0, sizeof(counters));
	fake_argument("fault-batch", 4);
	fake_main();
	fake_text();
	fake_event(LIMPET_GUEST_END, ID, 0, 0, 0, 0); /* the guest of the previous test */
	fake_event(LIMPET_GUEST_END, ID + 1, 0, 0, 0, 0);
	fake_event(LIMPET_GUEST_BEGIN, ID, 100, 100, 0, LIMPET_GUEST_BY_ENTER);
	memset(counters, 0, sizeof(counters));
	return 0;
}

static void mode(enum mode mode)
{
	own(500, mode, 0, 0);
}

static struct executive_answer getppid_answer(void)
{
	return own(GUEST_CALL_getppid, 0, 0, 0);
}

#define OTHERS                                                                                     \
	(1 << LIMPET_GUEST_RESULT | 1 << LIMPET_GUEST_FAULT | 1 << LIMPET_GUEST_SIGNAL |           \
	 1 << LIMPET_GUEST_EXCEPTION)

static void test_start(void **state)
{
	(void)state;
	assert_int_equal(fake_kinds, OTHERS | 1 << LIMPET_GUEST_BEGIN | 1 << LIMPET_GUEST_EXEC |
					     1 << LIMPET_GUEST_END);
	fake_reset();
	fake_argument("lifetimes", 0);
	fake_argument_text("mode", "nothing");
	fake_main();
	assert_non_null(strstr(fake_text(), "argument mode is nothing"));
	assert_int_equal(fake_kinds, OTHERS);
}

static void test_modes(void **state)
{
	(void)state;
	assert_served(getppid_answer(), PROBE_VALUE);
	assert_answer(own(GUEST_CALL_getuid, 0, 0, 0), PASS);
	mode(MODE_PASS);
	assert_answer(getppid_answer(), PASS);
	mode(MODE_CHANGE);
	assert_answer(getppid_answer(), PASS);
	assert_int_equal(fake_register[LIMPET_GUEST_RAX], GUEST_CALL_getpid);
	mode(MODE_MOVE);
	assert_served(getppid_answer(), PROBE_VALUE);
	assert_string_equal(fake_text(), "a call of a guest\n");
	mode(MODE_RELEASE);
	assert_answer(getppid_answer(), RELEASE);
	mode(MODE_KILL);
	assert_answer(getppid_answer(), KILL);
	mode(MODE_WAIT);
	fake_wait[0] = LIMPET_EINTR;
	assert_answer(getppid_answer(), AGAIN);
	fake_wait[1] = 1;
	assert_served(getppid_answer(), PROBE_VALUE);
	assert_int_equal(fake_deadline, LIMPET_NEVER);
	assert_int_equal(counter(COUNT_BAD), 0);
}

static void test_result(void **state)
{
	(void)state;
	mode(MODE_RESULT);
	assert_answer(own(GUEST_CALL_read, 0, 0, 0), PASS_RESULT);
	assert_answer(fake_event(LIMPET_GUEST_RESULT, ID, GUEST_CALL_read, 5, 0, 0), PASS);
	assert_int_equal(counter(COUNT_RESULTS), 1);
	mode(MODE_REPLACE);
	assert_answer(own(GUEST_CALL_read, 0, 0, 0), PASS);
	assert_answer(getppid_answer(), PASS_RESULT);
	assert_served(fake_event(LIMPET_GUEST_RESULT, ID, GUEST_CALL_getppid, 5, 0, 0),
		      PROBE_VALUE);
	assert_int_equal(counter(COUNT_BAD), 0);
}

/* Calls without a result are not missed. */
static void test_without_result(void **state)
{
	(void)state;
	mode(MODE_RESULT);
	own(GUEST_CALL_execve, 0, 0, 0);
	fake_event(LIMPET_GUEST_EXEC, ID, 100, 100, 0, 0);
	own(GUEST_CALL_rt_sigreturn, 0, 0, 0);
	own(GUEST_CALL_execveat, 0, 0, 0);
	own(GUEST_CALL_read, 0, 0, 0);
	own(GUEST_CALL_read, 0, 0, 0);
	fake_event(LIMPET_GUEST_RESULT, ID, GUEST_CALL_read, 5, 0, 0);
	assert_int_equal(counter(COUNT_BAD), 0);
}

static void test_mode_inherited(void **state)
{
	(void)state;
	assert_served(own(500, MODE_PASS, 0, 0), MODE_SERVE);
	assert_served(own(500, MODE_KILL, 0, 0), MODE_PASS);
	fake_event(LIMPET_GUEST_BEGIN, ID + 1, 101, 101, 1 + ID, LIMPET_GUEST_BY_FORK);
	assert_served(fake_call(ID + 1, 500, MODE_SERVE, 1, 0, 0, 0, 0), MODE_KILL);
	fake_event(LIMPET_GUEST_END, ID + 1, 101, 101, 0, 0);
	fake_event(LIMPET_GUEST_BEGIN, ID + 1, 102, 102, 0, LIMPET_GUEST_BY_ENTER);
	assert_served(fake_call(ID + 1, 500, MODE_SERVE, 0, 0, 0, 0, 0), MODE_SERVE);
	assert_served(own(500, MODES, 0, 0), -LINUX_EINVAL);
	assert_served(own(500, MODE_PASS, 2, 0), -LINUX_EINVAL);
	assert_int_equal(counter(COUNT_BAD), 0);
}

/* Tests requests of guests about their signals and exceptions, and the notes that guests can copy. */
static void test_notes(void **state)
{
	struct note note = { 0 };
	long from;

	(void)state;
	fake_put(ADDRESS, &note, sizeof(note));
	assert_served(own(495, 1 << 4, 0, 0), LIMPET_OK);
	assert_int_equal(fake_filter[LIMPET_GUEST_FILTER_FAULTS], 1 << 4);
	assert_served(own(496, TREATMENTS, 0, 0), -LINUX_EINVAL);
	assert_served(own(496, TREAT_SERVE, 16, 0), -LINUX_EINVAL);
	assert_answer(fake_event(LIMPET_GUEST_EXCEPTION, ID, 4, 1, 0, 6), PASS);
	assert_served(own(496, TREAT_SERVE, 2, TREAT_KILL), 0);
	from = (long)own(497, 1, 0, 0).value;
	fake_register[LIMPET_GUEST_RIP] = 0x1000;
	assert_answer(fake_event(LIMPET_GUEST_EXCEPTION, ID, 4, 1, 0, 6), SERVE);
	assert_int_equal(fake_register[LIMPET_GUEST_RIP], 0x1002);
	assert_int_equal(fake_register[LIMPET_GUEST_RAX], PROBE_VALUE);
	assert_answer(fake_event(LIMPET_GUEST_SIGNAL, ID, 10, 0, 0, 0), KILL);
	assert_answer(fake_event(LIMPET_GUEST_SIGNAL, ID + 1, 10, 0, 0, 0), PASS);
	assert_served(own(498, (word)from, ADDRESS, 1), 1);
	assert_true(fake_get(ADDRESS, &note, sizeof(note)));
	assert_int_equal(note.event, LIMPET_GUEST_EVENT(LIMPET_GUEST_EXCEPTION, ID));
	assert_int_equal(note.words[3], 6);
	assert_served(own(497, 0, 0, 0), from + 4); /* two events, and calls 498 and 497 */
	assert_served(own(498, (word)from + 4, ADDRESS, 1), 0);
	assert_int_equal(counters[COUNT_SIGNALS], 2);
	assert_int_equal(counters[COUNT_EXCEPTIONS], 2);
	assert_int_equal(counters[COUNT_BAD], 0);
}

static void test_own_calls(void **state)
{
	word value = 0;

	(void)state;
	fake_put(ADDRESS, "\1\2\3\4\5\6\7\10", 8);
	assert_served(own(499, 0, 0, 0), ID);
	assert_served(own(501, COUNTERS, 0, 0), -LINUX_EINVAL);
	assert_served(own(502, 0, 0, 0), 0);
	assert_served(own(503, ADDRESS, 0, 0), 36);
	assert_served(own(503, 0, 0, 0), LIMPET_EFAULT);
	assert_served(own(504, ADDRESS, 77, 0), LIMPET_OK);
	assert_true(fake_get(ADDRESS, &value, sizeof(value)) && value == 77);
	assert_served(own(504, ~0ul, 77, 0), LIMPET_EFAULT);
	fake_wake_status = LIMPET_ENOENT;
	assert_served(own(506, 9, 0, 0), LIMPET_ENOENT);
	assert_int_equal(fake_woken, 9);
	assert_served(own(508, 0, 0, 0), LIMPET_OK);
	fake_map_status = LIMPET_ERANGE;
	assert_served(own(509, 1, 2, 3), LIMPET_ERANGE);
	assert_int_equal(fake_map_range[2], 3);
	assert_served(own(510, 4, 5, 0), LIMPET_OK);
	assert_int_equal(fake_range[1], 5);
	assert_answer(own(511, 0, 0, 0), PASS);
	assert_answer(own(492, 0, 0, 0), PASS);
	assert_served(own(493, 0, 0, 0), 1);
	fake_orphan = true;
	assert_served(own(493, 0, 0, 0), -LINUX_EAGAIN);
	fake_orphan = false;
	assert_served(own(493, 0, 0, 0), 3);
	assert_answer(own(~0ul, 0, 0, 0), PASS);
}

/* Tests a chain of Linux calls. One is interrupted, and another cannot be made before a signal. */
static void test_chain(void **state)
{
	(void)state;
	assert_served(own(494, 0, GUEST_CALL_getpid, 0), 0);
	assert_served(own(494, 1001, GUEST_CALL_getpid, 0), 0);
	assert_answer(own(494, 3, GUEST_CALL_getpid, 9), PASS_RESULT);
	assert_int_equal(fake_register[LIMPET_GUEST_RAX], GUEST_CALL_getpid);
	assert_int_equal(fake_register[LIMPET_GUEST_RDI], 9);
	assert_answer(fake_event(LIMPET_GUEST_RESULT, ID, 494, 7, 0, 0), PASS_RESULT);
	assert_answer(fake_event(LIMPET_GUEST_RESULT, ID, 494, (word)-LINUX_EINTR, 1, 0), AGAIN);
	assert_answer(own(494, 3, GUEST_CALL_getpid, 9), PASS_RESULT);
	fake_orphan = true;
	assert_answer(fake_event(LIMPET_GUEST_RESULT, ID, 494, 7, 0, 0), AGAIN);
	fake_orphan = false;
	assert_answer(own(494, 3, GUEST_CALL_getpid, 9), PASS_RESULT);
	assert_served(fake_event(LIMPET_GUEST_RESULT, ID, 494, 7, 0, 0), 21);
	assert_int_equal(counter(COUNT_BAD), 0);
}

static void test_wait(void **state)
{
	(void)state;
	assert_served(own(505, 1000, 20, 0), LIMPET_ETIME);
	assert_int_equal(fake_deadline, 1000 + (fake_now - 1000));
	assert_int_equal(fake_early, 20);
	fake_wait[1] = LIMPET_EINTR;
	assert_answer(own(505, ~0ul, 0, 0), AGAIN);
	assert_int_equal(fake_deadline, LIMPET_NEVER);
	fake_wait[2] = 1;
	assert_served(own(505, ~0ul, 0, 0), LIMPET_OK);
}

static void test_pages(void **state)
{
	(void)state;
	for (word i = 0; i < 200; i++) {
		struct executive_answer a =
			fake_event(LIMPET_GUEST_FAULT, ID, i * LIMPET_PAGE, i & 1, 0, 0);
		word n = i % 64, count = 64 - n < 4 ? 64 - n : 4;

		assert_int_equal(a.operation, LIMPET_GUEST_PAGES(count));
		assert_int_equal(a.value % LIMPET_PAGE, 0);
		for (word j = 0; j < count; j++)
			assert_int_equal(*(word *)(a.value + j * LIMPET_PAGE), n + j);
	}
	assert_int_equal(counter(COUNT_FAULTS), 200);
}

/* Each of these events violates the contract. */
static void test_bad(void **state)
{
	long bad = 0;

	(void)state;
	fake_event(LIMPET_GUEST_BEGIN, ID, 100, 100, 0, 0);
	assert_int_equal(counter(COUNT_BAD), ++bad);
	fake_event(LIMPET_GUEST_END, ID + 1, 100, 100, 0, 0);
	assert_int_equal(counter(COUNT_BAD), ++bad);
	fake_event(LIMPET_GUEST_EXEC, ID + 1, 100, 100, 0, 0);
	assert_int_equal(counter(COUNT_BAD), ++bad);
	fake_call(ID + 1, GUEST_CALL_read, 0, 0, 0, 0, 0, 0);
	assert_int_equal(counter(COUNT_BAD), ++bad);
	fake_event(LIMPET_GUEST_RESULT, ID, GUEST_CALL_read, 0, 0, 0);
	assert_int_equal(counter(COUNT_BAD), ++bad);
	mode(MODE_RESULT);
	own(GUEST_CALL_read, 0, 0, 0);
	fake_event(LIMPET_GUEST_RESULT, ID, GUEST_CALL_read, (word)-512, 0, 0);
	assert_int_equal(counter(COUNT_BAD), ++bad);
	own(GUEST_CALL_read, 0, 0, 0);
	fake_event(LIMPET_GUEST_RESULT, ID, GUEST_CALL_read, 3, 1, 0);
	assert_int_equal(counter(COUNT_BAD), ++bad);
	own(GUEST_CALL_read, 0, 0, 0);
	own(GUEST_CALL_read, 0, 0, 0);
	own(GUEST_CALL_write, 0, 0, 0);
	fake_event(LIMPET_GUEST_RESULT, ID, GUEST_CALL_write, 3, 0, 0);
	assert_int_equal(counter(COUNT_BAD), ++bad);
	fake_event(LIMPET_GUEST_CALL, LIMPET_GUESTS_MAX, GUEST_CALL_getppid, 0, 0, 0);
	assert_int_equal(counter(COUNT_BAD), ++bad);
	fake_event(LIMPET_GUEST_EVENTS, ID, 0, 0, 0, 0);
	assert_int_equal(counter(COUNT_BAD), ++bad);
}

static unsigned int periods;

long sched_periodic(word period, word first)
{
	assert_true(period > 0);
	assert_int_equal(first, 0);
	return 0;
}

/* Is late by more than 32 bits the first time. */
long sched_periodic_wait(word *due)
{
	*due = periods++ ? limpet_time() : 0;
	return 0;
}

static void test_events(void **state)
{
	const char *text;

	(void)state;
	fake_reset();
	fake_argument("events", 3);
	fake_now = 1ul << 40;
	periods = 0;
	fake_main();
	assert_int_equal(periods, 3);
	text = fake_text();
	assert_non_null(strstr(text, "\"case\": \"event\", \"subject\": \"limpet\""));
	assert_non_null(strstr(text, "\"n\": 3"));
	assert_non_null(strstr(text, "\"max\": 4294967295"));
	assert_non_null(strstr(text, "events measured"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_start, setup),
		cmocka_unit_test_setup(test_modes, setup),
		cmocka_unit_test_setup(test_result, setup),
		cmocka_unit_test_setup(test_without_result, setup),
		cmocka_unit_test_setup(test_mode_inherited, setup),
		cmocka_unit_test_setup(test_notes, setup),
		cmocka_unit_test_setup(test_own_calls, setup),
		cmocka_unit_test_setup(test_chain, setup),
		cmocka_unit_test_setup(test_wait, setup),
		cmocka_unit_test_setup(test_pages, setup),
		cmocka_unit_test_setup(test_bad, setup),
		cmocka_unit_test_setup(test_events, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
