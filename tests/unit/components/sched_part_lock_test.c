// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tests sched.fixed-priority with locks of a server that threads of one part share with each other, and with a thread
 * outside the part. The nested scheduler runs the thread HIGH of its part before the thread LOW.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <sched/core.h>

#include "fake.h"
#include "sched_calls.h"

enum { LOW = FAKE_NESTED + 1, HIGH, OUTSIDE, THREADS = OUTSIDE };

#define FIRST 1 /* priority of the part */

static bool ready[THREADS + 1],
	done[THREADS + 1]; /* threads of the part, as the nested scheduler sees them */

/* Dispatches the first ready thread of the part, until both have ended. */
static void nested_thread(void)
{
	while (!done[LOW] || !done[HIGH])
		limpet_call_thread_dispatch(
			LIMPET_SLOT_THREADS + (ready[HIGH] && !done[HIGH] ? HIGH : LOW), 0);
}

/* An event makes HIGH ready while LOW runs, so the nested scheduler preempts LOW. */
static void high_wake(void)
{
	ready[HIGH] = true;
	fake_switch(FAKE_NESTED);
}

static void part_end(unsigned int id)
{
	done[id] = true;
	fake_switch(FAKE_NESTED);
}

static void never(void)
{
}

/* With `reserve` the part has 1,000 of each 10,000 ticks. */
static void run(void (*thread)(unsigned int), bool reserve)
{
	static const uint8_t priority[] = { 0, 255, FIRST, 1, 1, 20 },
			     component[] = { 0, 1, 3, 4, 4, 2 };
	static const struct limpet_info_arg arg = { .name = "reserve-0", .text = "2 1000 10000" };
	const struct fake_setup setup = { .threads = THREADS,
					  .priority = priority,
					  .component = component,
					  .thread = thread,
					  .preempt = never,
					  .points = 1000000,
					  .arg = &arg,
					  .args = reserve,
					  .part = 1 << LOW | 1 << HIGH };

	memset(ready, 0, sizeof(ready));
	memset(done, 0, sizeof(done));
	fake_run(&setup);
	if (fake_failure)
		fail_msg("%s", fake_failure);
}

/* --- the part's budget */

/*
 * LOW owns what OUTSIDE waits for, and HIGH loops. The part gets the priority of OUTSIDE, but not its time: it has run
 * for at most its budget in each span, and OUTSIDE runs at its deadline.
 */
static void budget_thread(unsigned int id)
{
	if (id == FAKE_NESTED) {
		nested_thread();
	} else if (id == LOW) {
		high_wake();
		part_end(id);
	} else if (id == HIGH) {
		fake_run_for(5000);
		part_end(id);
	} else {
		FAKE_CHECK(sched_serve_sleep_until(BADGE, 5000) == LIMPET_OK);
		FAKE_CHECK(sched_serve_suspend_on(BADGE, 7, fake_now, LOW, 30000) == LIMPET_ETIME);
		FAKE_CHECK(fake_ran(HIGH) >= 2800 && fake_ran(HIGH) <= 3000);
		done[id] = true;
	}
}

static void test_budget(void **state)
{
	(void)state;
	run(budget_thread, true);
	assert_true(done[HIGH] && done[OUTSIDE]);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_budget) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
