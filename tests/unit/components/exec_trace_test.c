// SPDX-License-Identifier: BSD-2-Clause
/* Tests exec.trace: lines of calls in the format of strace, and handler threads that start at any time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <guest/numbers.h>
#include <runtime/component.h>

#include "guest_fake.h"
#include "line.h"
#include "points.h"

#define PATH 0x5000ul
#define BUFFER 0x6000ul

static uint8_t heap[260 << 10] __attribute__((aligned(4096)));
static void (*point)(void);

void fake_point(void)
{
	if (point)
		point();
}

static int setup(void **state)
{
	(void)state;
	point = NULL;
	fake_reset();
	fake_info.heap = (uint64_t)heap;
	fake_info.heap_size = sizeof(heap);
	assert_true(fake_main());
	fake_text();
	for (unsigned int id = 0; id < LIMPET_GUESTS_MAX; id++) {
		struct line *line = line_exchange(id, NULL);

		if (line)
			line_free(line);
	}
	fake_event(LIMPET_GUEST_BEGIN, 3, 1234, 1234, 0, 0);
	return 0;
}

static const char *printed(void)
{
	fake_main();
	return fake_text();
}

static void result(word number, long value, word interrupted)
{
	assert_answer(fake_event(LIMPET_GUEST_RESULT, 3, number, (word)value, interrupted, 0),
		      PASS);
}

static void test_lines(void **state)
{
	(void)state;
	fake_put_text(PATH, "/etc/passwd");
	assert_answer(fake_call(3, GUEST_CALL_openat, (word)-100, PATH, 0, 0, 0, 0), PASS_RESULT);
	assert_string_equal(printed(), "");
	result(GUEST_CALL_openat, 5, 0);
	assert_string_equal(printed(), "1234 openat(AT_FDCWD, \"/etc/passwd\", O_RDONLY) = 5\n");
	fake_call(3, GUEST_CALL_read, 5, BUFFER, 100, 0, 0, 0);
	fake_put(BUFFER, "abc", 3);
	result(GUEST_CALL_read, 3, 0);
	assert_string_equal(printed(), "1234 read(5, \"abc\", 100) = 3\n");
	fake_call(3, GUEST_CALL_openat, (word)-100, 1, 0, 0, 0, 0);
	result(GUEST_CALL_openat, -14, 0);
	assert_string_equal(printed(),
			    "1234 openat(AT_FDCWD, 0x1, O_RDONLY) = -1 EFAULT (Bad address)\n");
}

/* The sixth argument is in register r9. */
static void test_sixth(void **state)
{
	(void)state;
	fake_call(3, GUEST_CALL_mmap, 0, 4096, 1, 2, 3, 0x7000);
	result(GUEST_CALL_mmap, 0x10000, 0);
	assert_string_equal(printed(),
			    "1234 mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, 3, 0x7000) = 0x10000\n");
	fake_call(3, 1000, 1, 2, 3, 4, 5, 6);
	result(1000, -1, 0);
	assert_string_equal(printed(),
			    "1234 syscall_0x3e8(0x1, 0x2, 0x3, 0x4, 0x5, 0x6) = -1 EPERM "
			    "(Operation not permitted)\n");
}

static void test_interrupted(void **state)
{
	(void)state;
	fake_call(3, GUEST_CALL_read, 5, BUFFER, 100, 0, 0, 0);
	result(GUEST_CALL_read, -4, 1);
	assert_string_equal(printed(),
			    "1234 read(5, 0x6000, 100) = ? ERESTARTSYS (To be restarted if "
			    "SA_RESTART is set)\n");
	fake_put(PATH, (const word[]){ 1, 0 }, 16);
	fake_put(BUFFER, (const word[]){ 0, 5 }, 16);
	fake_call(3, GUEST_CALL_nanosleep, PATH, BUFFER, 0, 0, 0, 0);
	result(GUEST_CALL_nanosleep, -4, 1);
	assert_non_null(strstr(printed(), "{tv_sec=0, tv_nsec=5}) = ? ERESTART_RESTARTBLOCK"));
}

/* Tests calls without a result: execution of a program, and return from a signal handler. */
static void test_without_result(void **state)
{
	(void)state;
	fake_put_text(PATH, "/bin/true");
	fake_put(BUFFER, (const word[]){ 0 }, 8);
	fake_call(3, GUEST_CALL_execve, PATH, BUFFER, BUFFER, 0, 0, 0);
	fake_event(LIMPET_GUEST_EXEC, 3, 1234, 1234, 0, 0);
	assert_string_equal(printed(), "1234 execve(\"/bin/true\", [], 0x6000 /* 0 vars */) = 0\n");
	fake_call(3, GUEST_CALL_rt_sigreturn, 0, 0, 0, 0, 0, 0);
	fake_call(3, GUEST_CALL_getpid, 0, 0, 0, 0, 0, 0);
	result(GUEST_CALL_getpid, 1234, 0);
	assert_string_equal(printed(), "1234 rt_sigreturn() = ?\n1234 getpid() = 1234\n");
}

static void test_end(void **state)
{
	(void)state;
	fake_call(3, GUEST_CALL_exit_group, 3, 0, 0, 0, 0, 0);
	fake_event(LIMPET_GUEST_END, 3, 1234, 1234, 3 << 8, 0);
	assert_string_equal(printed(), "1234 exit_group(3) = ?\n1234 +++ exited with 3 +++\n");
	fake_event(LIMPET_GUEST_BEGIN, 3, 1235, 1235, 0, 0);
	fake_event(LIMPET_GUEST_END, 3, 1235, 1235, 9, 0);
	assert_string_equal(printed(), "1235 +++ killed by SIGKILL +++\n");
}

/* A signal is printed after the line of a call without a result, and before the end of the thread. */
static void test_signals(void **state)
{
	(void)state;
	fake_call(3, GUEST_CALL_rt_sigreturn, 0, 0, 0, 0, 0, 0);
	assert_answer(executive_event(LIMPET_GUEST_EVENT(LIMPET_GUEST_SIGNAL, 3), 10 | 1 << 8,
				      (word)(uint32_t)-6, 7 | 5ul << 32, 0, 0, 0),
		      PASS);
	assert_string_equal(printed(),
			    "1234 rt_sigreturn() = ?\n1234 --- SIGUSR1 {si_signo=SIGUSR1, "
			    "si_code=SI_TKILL, si_pid=7, si_uid=5} ---\n");
	fake_register[LIMPET_GUEST_RIP] = 0x401000;
	assert_answer(executive_event(LIMPET_GUEST_EVENT(LIMPET_GUEST_EXCEPTION, 3), 11, 1, 0x123,
				      14, 4, 0),
		      PASS);
	assert_string_equal(
		printed(),
		"1234 --- exception 14, error code 4, at 0x401000, address 0x123: SIGSEGV ---\n");
	executive_event(LIMPET_GUEST_EVENT(LIMPET_GUEST_END, 3), 1234, 1234, 11 | 0x80, 1, 0x123,
			0);
	assert_string_equal(printed(),
			    "1234 --- SIGSEGV {si_signo=SIGSEGV, si_code=SEGV_MAPERR, "
			    "si_addr=0x123} ---\n1234 +++ killed by SIGSEGV (core dumped) +++\n");
}

static void test_long_path(void **state)
{
	static char path[4096];
	const char *text;

	(void)state;
	memset(path, 'x', sizeof(path) - 1);
	fake_put_text(PATH, path);
	fake_call(3, GUEST_CALL_chdir, PATH, 0, 0, 0, 0, 0);
	result(GUEST_CALL_chdir, 0, 0);
	text = printed();
	assert_true(strlen(text) < TEXT);
	assert_string_equal(text + strlen(text) - 5, "x...\n");
}

/* If more calls are in progress than there are lines, the other calls are passed and counted. */
static void test_no_line(void **state)
{
	(void)state;
	for (unsigned int id = 10; id < 10 + LINES; id++)
		assert_answer(fake_call(id, GUEST_CALL_pause, 0, 0, 0, 0, 0, 0), PASS_RESULT);
	assert_answer(fake_call(9, GUEST_CALL_pause, 0, 0, 0, 0, 0, 0), PASS);
	assert_answer(fake_event(LIMPET_GUEST_RESULT, 9, GUEST_CALL_pause, 0, 0, 0), PASS);
	fake_event(LIMPET_GUEST_RESULT, 10, GUEST_CALL_pause, (word)-4, 0, 0);
	assert_non_null(strstr(printed(), "1 lines were dropped"));
	assert_answer(fake_call(9, GUEST_CALL_pause, 0, 0, 0, 0, 0, 0), PASS_RESULT);
}

static void test_hostile(void **state)
{
	(void)state;
	assert_answer(fake_event(LIMPET_GUEST_CALL, LIMPET_GUESTS_MAX, 0, 0, 0, 0), PASS);
	result(GUEST_CALL_read, 0, 0);
	fake_orphan = true;
	assert_answer(fake_call(3, GUEST_CALL_openat, (word)-100, PATH, 0, 0, 0, 0), PASS_RESULT);
	fake_call(3, ~0ul, ~0ul, ~0ul, ~0ul, ~0ul, ~0ul, ~0ul);
	result(~0ul, (long)~0ul, ~0ul);
	assert_non_null(strstr(printed(), "syscall_0xffffffffffffffff("));
}

static unsigned int depth, chance, lines_expected;

static unsigned int next(unsigned int limit)
{
	chance = chance * 1103515245 + 12345;
	return (chance >> 8) % limit;
}

/* Sends events of guests 10 to 13 at any access. Two can be of one guest, as after the kernel abandoned a thread. */
static void event_random(void)
{
	unsigned int id = 10 + next(4);

	depth++;
	if (next(2))
		fake_call(id, GUEST_CALL_write, id, BUFFER, 3, 0, 0, 0);
	else
		fake_event(LIMPET_GUEST_RESULT, id, GUEST_CALL_write, 3, 0, 0);
	depth--;
}

static void nested(void)
{
	if (depth < 3 && !next(100))
		event_random();
}

static void lines_check(const char *text)
{
	for (char id; *text; text = strchr(text, '\n') + 1, lines_expected++) {
		unsigned int tid, fd;

		assert_int_equal(
			sscanf(text, "%u write(%u, \"abc\", 3) = %*[3?]%c", &tid, &fd, &id), 3);
		assert_int_equal(tid, 1000 + fd);
		assert_int_equal(id, '\n');
	}
}

static void test_nested(void **state)
{
	(void)state;
	fake_put(BUFFER, "abc", 3);
	for (unsigned int id = 10; id < 14; id++)
		fake_event(LIMPET_GUEST_BEGIN, id, 1000 + id, 1000 + id, 0, 0);
	for (unsigned int i = 0; i < 3000; i++) {
		point = nested;
		event_random();
		point = NULL;
		lines_check(printed());
	}
	assert_true(lines_expected > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_lines, setup),
		cmocka_unit_test_setup(test_sixth, setup),
		cmocka_unit_test_setup(test_interrupted, setup),
		cmocka_unit_test_setup(test_without_result, setup),
		cmocka_unit_test_setup(test_end, setup),
		cmocka_unit_test_setup(test_signals, setup),
		cmocka_unit_test_setup(test_long_path, setup),
		cmocka_unit_test_setup(test_no_line, setup),
		cmocka_unit_test_setup(test_hostile, setup),
		cmocka_unit_test_setup(test_nested, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
