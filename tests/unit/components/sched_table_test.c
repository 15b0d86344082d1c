// SPDX-License-Identifier: BSD-2-Clause
/* Tests sched.table on a minimal kernel, whose clock counts only the run time of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <runtime/component.h>

#include <export/sched.h>

#include <sched/core.h>

#include "trace.h"

/* Threads 2 and 3 belong to one component, 4 to another, 5 and 6 to a third. See fake.h. */
static void run(void (*thread)(unsigned int), const struct limpet_info_arg *arg, unsigned int args,
		unsigned int threads, const uint8_t *component)
{
	static const uint8_t priority[] = { 0, 255, 5, 9, 5, 7, 6 };
	const struct fake_setup setup = { .threads = threads,
					  .priority = priority,
					  .component = component,
					  .thread = thread,
					  .arg = arg,
					  .args = args,
					  .points = UINT64_MAX };

	run_setup(&setup);
}

static const uint8_t component[] = { 0, 1, 2, 2, 3, 4, 4 };

/* The cycle starts at 1000, with the scheduler. The slots are 2000 to 4000 and 6000 to 9000. */
static const struct limpet_info_arg table[] = {
	{ .name = "cycle-us", .number = 10000 },
	{ .name = "slot-3", .text = "4 5000 3000" },
	{ .name = "slot-0", .text = "2 1000 2000" },
};

static void slots_thread(unsigned int id)
{
	struct sched_account_results out;

	for (int i = 0; i < 2; i++) {
		fake_run_for(id == 3 ? 500 : 2000);
		mark("%u@%lu ", id, fake_now);
	}
	FAKE_CHECK(!sched_serve_account(BADGE_OF(component[id]), 0, &out));
	mark("%u:%lu ", id, out.overruns);
}

/*
 * Threads 5 and 6 have the remaining time: 1000 to 2000, 4000 to 6000 and so on. Thread 3 and then
 * 2 have the first slot, and thread 4 the second. The others get the unused part of 4's slot.
 */
static void test_slots(void **state)
{
	(void)state;
	run(slots_thread, table, 3, 6, component);
	assert_string_equal(trace, "3@2500 3@3000 3:0 5@5000 4@8000 5@10000 5:0 2@13000 6@14000 "
				   "4@17000 4:1 6@17000 6:0 2@23000 2:2 ");
}

/* A thread that holds what a thread in its slot waits for may run in that slot. */
static void lend_thread(unsigned int id)
{
	if (id == 4) {
		mark("4@%lu ", fake_now);
		FAKE_CHECK(sched_serve_suspend_for(BADGE, 2, LIMPET_NEVER) == LIMPET_OK);
		mark("4@%lu ", fake_now);
	} else if (id == 2) {
		fake_run_for(3000);
		mark("2@%lu ", fake_now);
		FAKE_CHECK(sched_serve_resume_best(BADGE, 1ul << 4, 0) == 4);
		mark("2@%lu ", fake_now);
	}
}

static void test_lend(void **state)
{
	(void)state;
	run(lend_thread, table, 3, 4, component);
	/* 2 runs from 2000 to 4000, continues at 6000 for 4, and ends in its own next slot */
	assert_string_equal(trace, "4@6000 2@7000 4@7000 2@12000 ");
}

/*
 * Threads 4 and 5 wait for an object of 2. 5 comes first and has no slot, but the group of 4 is lent, too. So 2 runs in
 * the slot of 4, and gives the object to 5, which then runs in that slot and gives it to 4.
 */
static void lend_all_thread(unsigned int id)
{
	if (id == 4 || id == 5) {
		FAKE_CHECK(sched_serve_suspend_on(BADGE, 7, fake_now, 2, LIMPET_NEVER) ==
			   LIMPET_OK);
		mark("%u@%lu ", id, fake_now);
		if (id == 5) {
			fake_run_for(500);
			FAKE_CHECK(sched_serve_resume_on(BADGE, 7) == LIMPET_OK);
			mark("5@%lu ", fake_now);
		}
	} else if (id == 2) {
		fake_run_for(5500);
		mark("2@%lu ", fake_now);
		FAKE_CHECK(sched_serve_resume_on(BADGE, 7) == LIMPET_OK);
		mark("2@%lu ", fake_now);
	}
}

static void test_lend_all(void **state)
{
	(void)state;
	run(lend_all_thread, table, 3, 5, component);
	assert_string_equal(trace, "2@6500 5@6500 4@7000 5@7000 2@12000 ");
}

static void never_thread(unsigned int id)
{
	(void)id;
	FAKE_CHECK(sched_serve_reserve(BADGE, 0, 5000, 50000) == LIMPET_ESTATE);
}

static void test_no_budgets(void **state)
{
	(void)state;
	run(never_thread, table, 3, 6, component);
}

static long init(const char *name, const char *text)
{
	struct limpet_info_arg all[3] = { table[0], table[2] };

	snprintf(all[2].name, sizeof(all[2].name), "%s", name);
	snprintf(all[2].text, sizeof(all[2].text), "%s", text);
	run(never_thread, all, 3, 4, component);
	return fake_status;
}

static void test_refused(void **state)
{
	const struct limpet_info_arg none = { .name = "cycle-us", .number = 0 };

	(void)state;
	assert_int_equal(init("slot-1", "4 3000 7000"), LIMPET_OK);
	assert_int_equal(init("slot-1", "4 3000 7001"), LIMPET_ERANGE);
	assert_int_equal(init("slot-1", "4 2999 7000"), LIMPET_ERANGE);
	assert_int_equal(init("slot-1", "4 0 1001"), LIMPET_ERANGE);
	assert_int_equal(init("slot-1", "4 1500 10"), LIMPET_ERANGE);
	assert_int_equal(init("slot-1", "4 3000 0"), LIMPET_ERANGE);
	assert_int_equal(init("slot-1", "4 3000"), LIMPET_ERANGE);
	assert_int_equal(init("slot-1", "4 3000 10 10"), LIMPET_ERANGE);
	assert_int_equal(init("slot-1", "@x 3000 10"), LIMPET_ERANGE);
	assert_int_equal(init("slot-1", "1 3000 10"), LIMPET_ERANGE); /* the scheduler's own */
	assert_int_equal(init("slot-1", "9 3000 10"), LIMPET_ERANGE);
	assert_int_equal(init("slot-1", "99 3000 10"), LIMPET_ERANGE);
	run(never_thread, &none, 1, 4, component);
	assert_int_equal(fake_status, LIMPET_ERANGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slots),	 cmocka_unit_test(test_lend),
		cmocka_unit_test(test_lend_all), cmocka_unit_test(test_no_budgets),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
