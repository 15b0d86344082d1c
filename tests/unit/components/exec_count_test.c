// SPDX-License-Identifier: BSD-2-Clause
/* Tests exec.count: tables of processes, and processes whose threads start and end at any time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <guest/numbers.h>
#include <runtime/component.h>

#include "count.h"
#include "guest_fake.h"
#include "points.h"

#define MS FAKE_TICKS_PER_MS

static void (*point)(void);

void fake_point(void)
{
	if (point)
		point();
}

static void begin(unsigned int id, word process)
{
	assert_answer(fake_event(LIMPET_GUEST_BEGIN, id, 1000 + id, process, 0, 0), PASS);
}

static void end(unsigned int id)
{
	assert_answer(fake_event(LIMPET_GUEST_END, id, 1000 + id, 0, 0, 0), PASS);
}

/* Makes a call that has this duration and result. */
static void call(unsigned int id, word number, word ticks, long result)
{
	assert_answer(fake_call(id, number, 0, 0, 0, 0, 0, 0), PASS_RESULT);
	fake_now += ticks;
	assert_answer(fake_event(LIMPET_GUEST_RESULT, id, number, (word)result, 0, 0), PASS);
}

static void start_with(int results, int every, int each)
{
	fake_reset();
	fake_argument("per-process", each);
	fake_argument("results", results);
	fake_argument("every-ms", every);
	for (struct process *p = processes; p < processes + PROCESSES; p++)
		process_free(p);
	assert_true(fake_main());
	fake_text();
}

static void start(int results, int every)
{
	start_with(results, every, 1);
}

static int setup(void **state)
{
	(void)state;
	point = NULL;
	start(1, 0);
	return 0;
}

static void test_table(void **state)
{
	(void)state;
	begin(3, 77);
	call(3, GUEST_CALL_read, 30 * MS, 5);
	call(3, GUEST_CALL_read, 30 * MS, -4);
	call(3, GUEST_CALL_openat, 40 * MS, -2);
	call(3, 5000, 0, -38);
	call(3, GUEST_CALL_mmap, 0, -4096); /* an address, and no error */
	assert_int_equal(fake_wakes, 0);
	end(3);
	assert_int_equal(fake_wakes, 1);
	fake_main();
	assert_string_equal(fake_text(),
			    "process 77\n"
			    "% time microseconds   us/call     calls    errors call\n"
			    " 59.9        60000     30000         2         1 read\n"
			    " 39.9        40000     40000         1         1 openat\n"
			    "  0.0            0         0         1         0 mmap\n"
			    "  0.0            0         0         1         1 other numbers\n"
			    " 99.9       100000     20000         5         3 total\n");
	fake_main();
	assert_string_equal(fake_text(), "");
}

static void test_without_results(void **state)
{
	(void)state;
	start(0, 0);
	begin(3, 77);
	assert_answer(fake_call(3, GUEST_CALL_read, 0, 0, 0, 0, 0, 0), PASS);
	assert_answer(fake_call(3, GUEST_CALL_read, 0, 0, 0, 0, 0, 0), PASS);
	end(3);
	fake_main();
	assert_string_equal(fake_text(),
			    "process 77\n    calls call\n        2 read\n        2 total\n");
}

/* A process ends with its last thread, and a process without calls has no table. */
static void test_threads(void **state)
{
	(void)state;
	begin(3, 77);
	begin(4, 77);
	begin(5, 78);
	call(3, GUEST_CALL_read, MS, 0);
	call(4, GUEST_CALL_read, MS, 0);
	end(3);
	end(5);
	fake_main();
	assert_string_equal(fake_text(), "");
	end(4);
	fake_main();
	assert_non_null(strstr(fake_text(), "        2         0 read\n"));
}

/* Prints one table for a program and its children, when the last one has ended. */
static void test_together(void **state)
{
	(void)state;
	start_with(1, 0, 0);
	begin(3, 77);
	begin(4, 78);
	call(3, GUEST_CALL_read, MS, 0);
	call(4, GUEST_CALL_read, MS, 0);
	end(4);
	assert_int_equal(fake_wakes, 0);
	end(3);
	fake_main();
	assert_string_equal(fake_text(),
			    "all guests\n"
			    "% time microseconds   us/call     calls    errors call\n"
			    " 99.9         2000      1000         2         0 read\n"
			    " 99.9         2000      1000         2         0 total\n");
}

static void test_every(void **state)
{
	const char *text;

	(void)state;
	start(1, 5);
	begin(3, 77);
	call(3, GUEST_CALL_read, MS, 0);
	fake_now += 4 * MS;
	fake_main();
	text = fake_text();
	assert_non_null(strstr(text, "process 77, which still runs\n"));
	call(3, GUEST_CALL_read, MS, 0);
	end(3);
	fake_main();
	assert_non_null(strstr(fake_text(), "        2         0 read\n"));
}

/* The guest is killed. Its end is handled before the handler thread of its start has run. */
static void test_killed(void **state)
{
	(void)state;
	begin(3, 77);
	call(3, GUEST_CALL_read, MS, 0);
	end(4);
	fake_orphan = true;
	begin(4, 77);
	fake_orphan = false;
	end(3);
	fake_main();
	assert_non_null(strstr(fake_text(), "process 77\n"));
}

static void test_left_out(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < PROCESSES + 2; i++)
		begin(i, 100 + i);
	assert_answer(fake_call(PROCESSES, 0, 0, 0, 0, 0, 0, 0), PASS);
	assert_answer(fake_event(LIMPET_GUEST_RESULT, PROCESSES, 0, 0, 0, 0), PASS);
	for (unsigned int i = 0; i < PROCESSES + 2; i++)
		end(i);
	fake_main();
	assert_string_equal(fake_text(),
			    "2 threads were not counted, because more than 64 processes ran\n");
	begin(1, 100);
	assert_non_null(process_enter(100));
}

static void test_hostile(void **state)
{
	(void)state;
	assert_answer(fake_event(LIMPET_GUEST_CALL, LIMPET_GUESTS_MAX, 0, 0, 0, 0), PASS);
	assert_answer(fake_event(LIMPET_GUEST_CALL, ~0u, 0, 0, 0, 0), PASS);
	begin(3, 77);
	assert_answer(fake_call(3, ~0ul, 0, 0, 0, 0, 0, 0), PASS_RESULT);
	assert_answer(fake_call(3, 1ul << 63, 0, 0, 0, 0, 0, 0), PASS_RESULT);
	end(3);
	end(3);
	end(4);
}

/*
 * Threads of three processes start and end, each at any memory access of another one. A thread
 * always has an entry of its own process, and no entry keeps a thread that has ended.
 */
#define THREADS 12

static struct process *process_of_thread[THREADS];
static unsigned int depth, chance;

static unsigned int next(unsigned int limit)
{
	chance = chance * 1103515245 + 12345;
	return (chance >> 8) % limit;
}

static void thread_change(unsigned int n)
{
	struct process *process = process_of_thread[n];

	if (process == &processes[PROCESSES]) /* another handler changes that thread */
		return;
	process_of_thread[n] = &processes[PROCESSES];
	if (process) {
		process_leave(process);
		process = NULL;
	} else {
		process = process_enter(500 + n % 3);
	}
	process_of_thread[n] = process;
}

static void nested(void)
{
	if (depth == 3 || next(60))
		return;
	depth++;
	thread_change(next(THREADS));
	depth--;
}

static void test_nested(void **state)
{
	(void)state;
	for (unsigned int round = 0; round < 20000; round++) {
		point = nested;
		thread_change(next(THREADS));
		point = NULL;
		for (unsigned int n = 0; n < THREADS; n++)
			if (process_of_thread[n])
				assert_int_equal(process_of_thread[n]->owner >> 32, 500 + n % 3);
		if (next(4))
			continue;
		for (struct process *p = processes; p < processes + PROCESSES; p++)
			if (process_ended(p))
				process_free(p);
	}
	for (unsigned int n = 0; n < THREADS; n++)
		if (process_of_thread[n])
			process_leave(process_of_thread[n]);
	for (struct process *p = processes; p < processes + PROCESSES; p++)
		assert_true(!p->owner || process_ended(p));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_table, setup),
		cmocka_unit_test_setup(test_without_results, setup),
		cmocka_unit_test_setup(test_threads, setup),
		cmocka_unit_test_setup(test_together, setup),
		cmocka_unit_test_setup(test_every, setup),
		cmocka_unit_test_setup(test_killed, setup),
		cmocka_unit_test_setup(test_left_out, setup),
		cmocka_unit_test_setup(test_hostile, setup),
		cmocka_unit_test_setup(test_nested, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
