// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tests exec.schedule and lib/executive/turn.h in simulated time: rules, shares, reservations, sleeps, signals and
 * ends.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include <guest/numbers.h>
#include <runtime/memory.h>

#include "schedule.h"
#include "turns.h"

#define RULES                                                                                      \
	"control reserve 3000 10000\ncamera reserve 8000 33000\nwork share 3\nbackup share 1\n"
#define REQUEST 0x8000ul
#define BILLION 1000000000l
#define QUANTUM SIM_MS
#define BEGAN (1 * SIM_MS)

static unsigned int chance;

static void begin(uint32_t seed)
{
	const char *why;

	fake_reset();
	schedule_init(QUANTUM);
	assert_int_equal(schedule_rules_read(RULES, strlen(RULES), &why), 0);
	sim_reset(seed, chance);
}

static void hog(unsigned int id)
{
	(void)id;
	for (;;)
		sim_compute(SIM_MS);
}

/* If Linux preempts the holder of the lock, guests that wait for the lock can lose 20 us each time. */
static void assert_busy(void)
{
	assert_true(sim_idle <= (chance ? fake_now / 200 : 0));
}

/* Returns part/whole in per mille. */
static uint64_t mille(uint64_t part, uint64_t whole)
{
	return part * 1000 / whole;
}

/* --- rules */

static void test_wrong_rules(void **state)
{
	static const struct {
		const char *text;
		unsigned int line;
		const char *why;
	} wrong[] = {
		{ "work\n", 1, "needs share or reserve" },
		{ "# one\n\nwork weight 3\n", 3, "needs share or reserve" },
		{ "work share\n", 1, "needs a share" },
		{ "work share 0\n", 1, "needs a share" },
		{ "work share 1001\n", 1, "needs a share" },
		{ "work share 3 4\n", 1, "has words behind" },
		{ "work reserve\n", 1, "needs a budget" },
		{ "work reserve 0 1000\n", 1, "needs a budget" },
		{ "work reserve 5\n", 1, "needs a period" },
		{ "work reserve 5 499\n", 1, "needs a period" },
		{ "work reserve 1000 10000001\n", 1, "needs a period" },
		{ "work reserve 1001 1000\n", 1, "reserves more" },
		{ "a reserve 600 1000\nb reserve 500 1000\n", 2, "reserves more" },
		{ "work share 1\nwork share 2\n", 2, "has a rule already" },
		{ "a234567890123456789012345678901_ share 1\n", 1, "has a name of more than" },
	};
	const char *why;

	(void)state;
	for (unsigned int i = 0; i < array_size(wrong); i++) {
		assert_int_equal(schedule_rules_read(wrong[i].text, strlen(wrong[i].text), &why),
				 wrong[i].line);
		assert_non_null(strstr(why, wrong[i].why));
	}
}

static void test_rules(void **state)
{
	static const char text[] = "* share 7\na reserve 1 500 # some\nb reserve 998000 1000000";
	const char *why;

	(void)state;
	fake_reset();
	assert_int_equal(schedule_rules_read("", 0, &why), 0);
	assert_int_equal(rules[PROGRAM_OTHERS].share, 1);
	assert_int_equal(schedule_rules_read(text, strlen(text), &why), 0);
	assert_int_equal(rules[PROGRAM_OTHERS].share, 7);
	assert_int_equal(rules[program_of("/usr/bin/a", 10)].budget, 1000);
	assert_int_equal(rules[program_of("/usr/bin/a", 10)].period, 500000);
	assert_int_equal(program_of("a", 1), 1);
	assert_int_equal(program_of("b", 1), 2);
	assert_int_equal(program_of("/b/", 3), PROGRAM_OTHERS);
	assert_int_equal(program_of("/c", 2), PROGRAM_OTHERS);
	assert_int_equal(program_of("", 0), PROGRAM_OTHERS);
}

static void test_too_many_rules(void **state)
{
	char text[PROGRAMS_MAX * 20];
	size_t length = 0;
	const char *why;

	(void)state;
	for (unsigned int i = 0; i < PROGRAMS_MAX; i++)
		length +=
			(size_t)snprintf(text + length, sizeof(text) - length, "p%u share 1\n", i);
	assert_int_equal(schedule_rules_read(text, length, &why), PROGRAMS_MAX);
	assert_non_null(strstr(why, "one rule too many"));
}

/* --- shares */

static void test_shares(void **state)
{
	unsigned int work, backup, other;

	(void)state;
	begin(1);
	work = sim_begin("/usr/bin/work", hog);
	backup = sim_begin("backup", hog);
	other = sim_begin("/bin/other", hog);
	sim_run(BEGAN + 1000 * SIM_MS);
	assert_in_range(mille(sim_used(work), 1000 * SIM_MS), 590, 610);
	assert_in_range(mille(sim_used(backup), 1000 * SIM_MS), 190, 210);
	assert_in_range(mille(sim_used(other), 1000 * SIM_MS), 190, 210);
	assert_busy();
}

static void late_hog(unsigned int id)
{
	sim_sleep(500 * SIM_MS);
	hog(id);
}

/* A guest gets no credit for the time that it slept. */
static void test_share_after_sleep(void **state)
{
	unsigned int early, late;

	(void)state;
	begin(2);
	early = sim_begin("work", hog);
	late = sim_begin("work", late_hog);
	sim_run(BEGAN + 1000 * SIM_MS);
	assert_in_range(mille(sim_used(early), 1000 * SIM_MS), 735, 755);
	assert_in_range(mille(sim_used(late), 1000 * SIM_MS), 245, 265);
}

static unsigned int yields;

static void yielder(unsigned int id)
{
	(void)id;
	for (;;) {
		assert_int_equal(sim_call(GUEST_CALL_sched_yield, 0, 0, 0), 0);
		sim_compute(1000);
		yields++;
	}
}

static void test_yield(void **state)
{
	unsigned int gives, takes;

	(void)state;
	begin(3);
	gives = sim_begin("work", yielder);
	takes = sim_begin("backup", hog);
	sim_run(BEGAN + 200 * SIM_MS);
	assert_in_range(sim_used(takes), 198 * SIM_MS, 200 * SIM_MS);
	assert_true(sim_used(gives) > 0);
	yields = 0;
	begin(3);
	sim_begin("work", yielder); /* alone, it cannot pass its turn to another guest */
	sim_run(BEGAN + 10 * SIM_MS);
	assert_in_range(yields, 9999, 10000);
}

/* --- reservations */

struct job {
	uint64_t period, work;
	unsigned int done, late;
};
static struct job jobs[SIM_GUESTS];

/* Uses an absolute time, because a relative sleep ends late if the guest is preempted before the sleep starts. */
static void sleep_until(unsigned int id, uint64_t time)
{
	fake_put(REQUEST + 16 * id, (const long[]){ (long)time / BILLION, (long)time % BILLION },
		 16);
	assert_int_equal(sim_call(GUEST_CALL_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME,
				  REQUEST + 16 * id),
			 0);
}

static void periodic(unsigned int id)
{
	struct job *job = &jobs[id];
	uint64_t release = fake_now;

	for (;; release += job->period) {
		sleep_until(id, release);
		sim_compute(job->work);
		job->late += fake_now > release + job->period;
		job->done++;
	}
}

static unsigned int job_begin(const char *path, uint64_t period_us, uint64_t work_us)
{
	unsigned int id = sim_begin(path, periodic);

	jobs[id] = (struct job){ period_us * 1000, work_us * 1000, 0, 0 };
	return id;
}

/* The reservations need 94 % of the processor. They are met next to a hog, which gets the rest. */
static void test_reservations(void **state)
{
	static const char text[] =
		"a reserve 1000 4000\nb reserve 2000 5000\nc reserve 2900 10000\n";
	unsigned int a, b, c, rest;
	const char *why;

	(void)state;
	for (uint32_t seed = 10; seed < 100; seed++) {
		begin(seed);
		assert_int_equal(schedule_rules_read(text, strlen(text), &why), 0);
		a = job_begin("a", 4000, 1000);
		b = job_begin("b", 5000, 2000);
		c = job_begin("c", 10000, 2900);
		rest = sim_begin("hog", hog);
		sim_run(BEGAN + 1000 * SIM_MS);
		assert_int_equal(jobs[a].late + jobs[b].late + jobs[c].late, 0);
		assert_in_range(jobs[a].done, 240, 251);
		assert_in_range(jobs[b].done, 192, 201);
		assert_in_range(jobs[c].done, 96, 101);
		assert_in_range(mille(sim_used(rest), 1000 * SIM_MS), 55, 90);
		assert_busy();
	}
}

static void test_budget(void **state)
{
	unsigned int greedy, work;

	(void)state;
	begin(4);
	greedy = sim_begin("control", hog);
	work = sim_begin("work", hog);
	sim_run(BEGAN + 1000 * SIM_MS);
	assert_in_range(sim_used(greedy), 297 * SIM_MS, 303 * SIM_MS);
	assert_in_range(sim_used(work), 697 * SIM_MS, 703 * SIM_MS);
	begin(5);
	greedy = sim_begin("control", hog);
	sim_run(BEGAN + 1000 * SIM_MS);
	assert_in_range(sim_used(greedy), 297 * SIM_MS, 303 * SIM_MS);
}

/* Uses up its budget and then sleeps briefly, in Linux or in the executive. The sleep does not refill the budget. */
static void napper(unsigned int id)
{
	for (;;) {
		sim_compute(3 * SIM_MS);
		sim_sleep(1000);
		sim_compute(3 * SIM_MS);
		sleep_until(id, fake_now + 1000);
	}
}

static void test_budget_and_sleep(void **state)
{
	unsigned int greedy;

	(void)state;
	begin(7);
	greedy = sim_begin("control", napper);
	sim_begin("work", hog);
	sim_run(BEGAN + 1000 * SIM_MS);
	assert_in_range(sim_used(greedy), 297 * SIM_MS, 303 * SIM_MS);
}

/* sched_yield() ends the work of a period. */
static void test_yield_of_a_reservation(void **state)
{
	(void)state;
	begin(6);
	yields = 0;
	sim_begin("control", yielder);
	sim_begin("work", hog);
	sim_run(BEGAN + 1000 * SIM_MS);
	assert_in_range(yields, 99, 101);
}

/* --- sleeps in Linux, and all features together */

static void sleeper(unsigned int id)
{
	for (;;) {
		sim_compute(1 + (fake_now + id) % SIM_MS);
		sim_sleep(1 + (fake_now ^ id) % SIM_MS);
	}
}

/* The processor is never idle while one of them computes. */
static void test_work_continues(void **state)
{
	unsigned int work;

	(void)state;
	begin(7);
	for (unsigned int i = 0; i < 3; i++)
		sim_begin("backup", sleeper);
	work = sim_begin("work", hog);
	sim_run(BEGAN + 500 * SIM_MS);
	assert_busy();
	assert_true(sim_used(work) > 100 * SIM_MS);
}

static void short_life(unsigned int id)
{
	for (unsigned int i = 0; i < 3; i++) {
		sim_compute(1 + (fake_now + id) % (3 * SIM_MS));
		if (fake_now & 1)
			sim_sleep(1 + fake_now % SIM_MS);
		if (fake_now & 2)
			sleep_until(id, fake_now + fake_now % SIM_MS);
		if (fake_now & 4)
			sim_call(GUEST_CALL_sched_yield, 0, 0, 0);
	}
}

/* Guests start, get signals and end at random times. All guests end, and the executive forgets all of them. */
static void test_lives(void **state)
{
	static const char *const paths[] = { "control", "camera", "work", "backup", "other" };

	(void)state;
	for (uint32_t seed = 30; seed < 60; seed++) {
		begin(seed);
		for (unsigned int i = 0; i < 100; i++) {
			unsigned int id = sim_begin(paths[i % array_size(paths)], short_life);

			sim_run(fake_now + 1 + fake_now * seed % (2 * SIM_MS));
			if (i % 5 == 1)
				sim_signal(id);
			if (i % 7 == 1)
				sim_kill(id);
			sim_run(fake_now + 4 * SIM_MS);
		}
		assert_false(sim_run(fake_now + 20000 * SIM_MS));
	}
}

static int with_switches(void **state)
{
	(void)state;
	chance = 40;
	return 0;
}

static int without_switches(void **state)
{
	(void)state;
	chance = 0;
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wrong_rules),
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_too_many_rules),
	};
	const struct CMUnitTest turns[] = {
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_share_after_sleep),
		cmocka_unit_test(test_yield),
		cmocka_unit_test(test_reservations),
		cmocka_unit_test(test_budget),
		cmocka_unit_test(test_budget_and_sleep),
		cmocka_unit_test(test_yield_of_a_reservation),
		cmocka_unit_test(test_work_continues),
		cmocka_unit_test(test_lives),
	};
	int failed = cmocka_run_group_tests_name("rules", tests, NULL, NULL);

	failed += cmocka_run_group_tests_name("turns", turns, without_switches, NULL);
	return failed +
	       cmocka_run_group_tests_name("switches at any access", turns, with_switches, NULL);
}
