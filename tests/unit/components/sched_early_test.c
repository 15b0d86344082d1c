// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tests sched.fixed-priority with a kernel that sends the timer event early to an idle CPU. A thread must never
 * continue before the time that it waits for. It must not be late if the scheduler has enough time to decide.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <export/sched.h>

#include "fake.h"

#define PERIODS 500
#define EARLY 20
#define LEAD 8 /* ticks: 8,000 ns, since a millisecond has 1,000 ticks */

static unsigned int waits, late;
static uint64_t lead; /* maximum number of ticks by which a wait may end early */
static bool measured; /* the scheduler measures the lead */

/* The periods have no common divisor, so that timers of different threads can be close together. */
static void periodic_thread(unsigned int id)
{
	struct sched_periodic_wait_results out = { 0 };
	uint64_t period = 1000 + 7 * id;

	FAKE_CHECK(!sched_serve_periodic(BADGE, period, fake_now + period));
	for (unsigned int i = 0; i < PERIODS; i++) {
		FAKE_CHECK(sched_serve_periodic_wait(BADGE, &out) >= 0);
		FAKE_CHECK(fake_now + lead >= out.due);
		if (fake_now < out.due) /* as the caller's stub does */
			fake_run_for(out.due - fake_now);
		waits++;
		late += fake_now > out.due;
	}
}

static void run(unsigned int threads, uint64_t early, uint64_t turn)
{
	static const uint8_t priority[] = { 0, 255, 9, 8, 8, 7 };
	const struct limpet_info_arg argument = { .name = "lead-ns",
						  .number = (int64_t)lead * 1000 };
	const struct fake_setup setup = { .threads = threads,
					  .priority = priority,
					  .thread = periodic_thread,
					  .points = UINT64_MAX,
					  .arg = &argument,
					  .args = measured ? 0 : 1,
					  .early = early,
					  .turn = turn };

	waits = late = 0;
	fake_run(&setup);
	assert_null(fake_failure);
	assert_int_equal(waits, PERIODS * (threads - 1));
}

/* Without early events, the time that the scheduler needs makes its thread late each time. */
static void test_not_early(void **state)
{
	(void)state;
	run(2, 0, 3);
	assert_int_equal(late, waits);
}

/* An event that is early enough hides the time that the scheduler needs. */
static void test_early_enough(void **state)
{
	(void)state;
	run(2, EARLY, 3);
	assert_int_equal(late, 0);
}

/* No thread continues before its time, for each earliness of events and duration of the scheduler. */
static void test_never_before_its_time(void **state)
{
	(void)state;
	for (uint64_t early = 0; early <= EARLY; early++)
		for (uint64_t turn = 0; turn <= EARLY; turn++)
			run(5, early, turn);
}

/* A wait ends at most the lead early. A lead that is long enough hides the time that the scheduler needs. */
static void test_lead(void **state)
{
	(void)state;
	lead = LEAD;
	run(2, 0, LEAD / 2);
	assert_int_equal(late, 0);
	run(2, 0, LEAD + 1);
	assert_int_equal(late, waits);
	for (uint64_t early = 0; early <= EARLY; early++)
		for (uint64_t turn = 0; turn <= EARLY; turn++)
			run(5, early, turn);
	lead = 0;
}

/* Without an argument the lead is the time of two kernel calls. */
static void test_lead_is_measured(void **state)
{
	(void)state;
	measured = true;
	for (uint64_t turn = 0; turn <= EARLY; turn++) {
		lead = 2 * turn;
		run(2, 0, turn);
		assert_int_equal(late, 0);
		run(5, 0, turn);
	}
	measured = false;
	lead = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_not_early),
		cmocka_unit_test(test_early_enough),
		cmocka_unit_test(test_never_before_its_time),
		cmocka_unit_test(test_lead),
		cmocka_unit_test(test_lead_is_measured),
	};

	return cmocka_run_group_tests_name("sched_early", tests, NULL, NULL);
}
