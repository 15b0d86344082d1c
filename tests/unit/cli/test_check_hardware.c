// SPDX-License-Identifier: GPL-2.0
/* Tests the causes that `limpet check` finds in the processor and the machine. */
#include "check_room.h"

/* SMIs are blamed if they came near the job, and if there were at least as many as jobs that ran long. */
static void test_cause_smi(void **state)
{
	(void)state;
	own_late();
	history.first.smis = history.moment[0].smis = 3;
	history.moment[1].smis = 4;
	history.moment[2].smis = 6;
	assert_int_equal(judged(), CAUSE_SMI);
	assert_non_null(strstr(thread.cause.found, "(SMIs): 3 in 0 s, 2 of them near that job"));
	assert_non_null(strstr(thread.cause.found, "up to 18"));

	history.moment[1].smis = 6; /* all came before the job */
	assert_int_equal(judged(), CAUSE_OWN);

	history.moment[1].smis = 5;
	thread.now.run.bucket[limpet_job_bucket(2 * PERIOD)] += 3; /* more such jobs than SMIs */
	assert_int_equal(judged(), CAUSE_OWN);

	own_late(); /* the processor does not count them */
	history.moment[2].smis = 6;
	assert_int_equal(judged(), CAUSE_OWN);
	history.next = 0; /* no readings */
	assert_int_equal(judged(), CAUSE_OWN);
}

static void test_cause_nmi(void **state)
{
	(void)state;
	own_late();
	history.moment[1].nmis = 5;
	history.first.nmis = history.moment[0].nmis = 5;
	history.moment[2].nmis = 5 + 7; /* as many as a watchdog and a profile make */
	assert_int_equal(judged(), CAUSE_OWN);
	history.moment[2].nmis = 5 + 100;
	assert_int_equal(judged(), CAUSE_NMI);
	assert_non_null(strstr(thread.cause.found, "100 NMIs came near that job, 10000 a second"));
}

/* A change of the frequency is blamed only if the slowest frequency can explain the run time. */
static void test_cause_frequency(void **state)
{
	const struct history_moment readings = { 0,	 0,	  -1,
						 -1,	 7,	  3000000,
						 100000, 3000000, .online = "0-1" };

	(void)state;
	own_late();
	moments(&readings);
	assert_int_equal(judged(), CAUSE_OWN); /* no change */
	history.moment[2].transitions = 8;
	assert_int_equal(judged(), CAUSE_FREQUENCY);
	assert_non_null(strstr(thread.cause.found, "now 3000 of 3000 MHz"));
	history.moment[2].khz_min = 1000000; /* three times as long, not twenty times */
	assert_int_equal(judged(), CAUSE_OWN);

	moments(&readings); /* a driver that does not count the changes */
	history.moment[1].transitions = history.moment[2].transitions = -1;
	history.moment[2].khz = 2900000; /* within the error of reading */
	assert_int_equal(judged(), CAUSE_OWN);
	history.moment[2].khz = 200000;
	assert_int_equal(judged(), CAUSE_FREQUENCY);
}

/* Heat is blamed before the change of the frequency that it causes, and only if it throttled near the job. */
static void test_cause_heat(void **state)
{
	(void)state;
	own_late();
	history.moment[0].hot_core = history.moment[1].hot_core = 5;
	history.moment[2].hot_core = 5;
	assert_int_equal(judged(), CAUSE_OWN); /* no change */
	history.moment[2].hot_core = 7;
	history.moment[1].transitions = 1;
	history.moment[2].transitions = 3;
	history.moment[2].khz_min = 100000;
	history.moment[2].khz_max = 3000000;
	assert_int_equal(judged(), CAUSE_HEAT);
	assert_non_null(strstr(thread.cause.found, "throttled itself 2 times near that job"));
	assert_non_null(strstr(thread.cause.remedy, "cooling"));
	thread.now.run.max = 60 * 100000; /* no heat slows code so much */
	thread.now.run.bucket[limpet_job_bucket(60 * 100000)] = 1;
	assert_int_equal(judged(), CAUSE_OWN);
	own_late();
	history.moment[1].transitions = 1;
	history.moment[2].transitions = 3;
	history.moment[2].khz_min = 100000;
	history.moment[2].khz_max = 3000000;
	history.moment[2].hot_core = 7;
	history.moment[1].hot_core = 7; /* before the job */
	assert_int_equal(judged(), CAUSE_FREQUENCY);
	history.moment[1].hot_package = 8; /* the package of the processor */
	history.moment[2].hot_package = 9;
	assert_int_equal(judged(), CAUSE_HEAT);
	assert_non_null(strstr(thread.cause.found, "throttled itself 1 time near"));
	assert_non_null(strstr(printed(check_print_json), "\"cause\": \"heat\""));
	history.moment[2].hot_package = 3; /* the counter was reset */
	assert_int_equal(judged(), CAUSE_FREQUENCY);
	linux_late(LIMPET_REASON_IDLE); /* heat does not give Linux the CPU */
	moments(NULL);
	history.moment[1].hot_core = 1;
	history.moment[2].hot_core = 2;
	assert_int_equal(judged(), CAUSE_LINUX);
}

/* Checks that the cause of `threads[0]` is a stop of the machine, and without the thread of hwlat another one. */
static void stall_judged(struct guest_image *image, struct check_thread threads[2],
			 enum cause_kind alone)
{
	check.snapshot.image = (struct image){ (void *)image, sizeof(*image) };
	assert_int_equal(judged(), alone);
	threads[0] = thread;
	check.thread = threads;
	check.threads = 2;
	check_judge(&check);
	assert_int_equal(threads[0].cause.kind, CAUSE_STALL);
}

/* Component hwlat sees that the machine stops, or denies it. */
static void test_cause_stall(void **state)
{
	static struct check_thread threads[2];
	static struct timeline_sum unused;
	struct guest_image image = guest_image;

	(void)state;
	own_late();
	judged();
	strcpy(image.strings + image.component[2].name, "hwlat");
	image.component[2].image = image.component[2].name;
	check.snapshot.image = (struct image){ (void *)&image, sizeof(image) };
	threads[0] = thread;
	threads[1] =
		(struct check_thread){ .id = OTHER, .home = 2, .period = PERIOD, .sum = &unused };
	threads[1].now = thread.now;
	threads[1].now.missed = 0;
	threads[1].now.response.max = 200000;
	threads[1].now.run.bucket[limpet_job_bucket(2 * PERIOD)] = 0;
	threads[1].now.run.bucket[limpet_job_bucket(100000)] = 10;
	threads[1].now.run.max = 100000;
	check.thread = threads;
	check.threads = 2;
	assert_ptr_equal(check_hwlat(&check, 0), &threads[1]);
	assert_null(check_hwlat(&check, 1));
	check_judge(&check);
	assert_int_equal(threads[0].cause.kind, CAUSE_OWN);
	assert_null(strstr(threads[0].cause.remedy, "hwlat"));
	assert_non_null(strstr(thread.cause.remedy, "add component hwlat"));
	threads[0].change.smis = 1; /* SMIs came, but stopped the CPU only shortly */
	history.first.smis = 1;
	history.moment[2].smis = 101;
	check_judge(&check);
	assert_int_equal(threads[0].cause.kind, CAUSE_OWN);
	history.moment[2].smis = 2; /* too few SMIs for hwlat to see one */
	check_judge(&check);
	assert_int_equal(threads[0].cause.kind, CAUSE_SMI);

	threads[1].now.run.bucket[limpet_job_bucket(100000)] = 9;
	threads[1].now.run.bucket[limpet_job_bucket(1500000)] = 1;
	threads[1].now.run.max = 1500000;
	check_judge(&check);
	assert_int_equal(threads[0].cause.kind, CAUSE_SMI);
	threads[0].change.smis = 0;
	check_judge(&check);
	assert_int_equal(threads[0].cause.kind, CAUSE_STALL);
	assert_non_null(strstr(threads[0].cause.found, "stopped for up to "));
	assert_int_equal(threads[1].cause.kind, CAUSE_NONE);

	linux_late(LIMPET_REASON_IDLE); /* the machine stopped while Linux had the CPU */
	stall_judged(&image, threads, CAUSE_LINUX);

	other_late(); /* and while hwlat had it */
	stall_judged(&image, threads, CAUSE_THREAD);
	assert_non_null(strstr(printed(check_print), "for 13.1 % of the time: the longest was 1"));
	assert_non_null(strstr(printed(check_print_json), "\"longest_gap_us\": 1"));
	threads[1].now.run.max = 300000;
	check_judge(&check);
	assert_int_equal(threads[0].cause.kind, CAUSE_THREAD);
}

/* Causes in the hardware while Linux had the CPU. */
static void test_causes_hardware(void **state)
{
	(void)state;
	linux_late(LIMPET_REASON_IDLE);
	moments(NULL);
	assert_int_equal(judged(), CAUSE_LINUX);
	strcpy(history.moment[2].online, "0"); /* CPU 1 went offline */
	before.tasks = after.tasks = 1;
	before.task[0] = after.task[0] =
		(struct machine_task){ 18, "migration/0", "SCHED_FIFO", 99, 5 };
	after.task[0].ran_ns += 1900000;
	assert_int_equal(judged(), CAUSE_CPUS);
	assert_non_null(strstr(thread.cause.found, "changed from 0-1 to 0 near"));
	assert_non_null(strstr(printed(check_print), "CPUs of Linux changed from 0-1 to 0 during"));
	strcpy(history.moment[1].online, "0"); /* long before the job */
	assert_int_equal(judged(), CAUSE_LINUX_TASK);
	assert_non_null(strstr(thread.cause.remedy, "Linux stops a CPU with that thread when"));

	linux_late(LIMPET_REASON_IDLE);
	moments(NULL);
	history.first.smis = history.moment[0].smis = history.moment[1].smis = 1;
	history.moment[2].smis = 2;
	assert_int_equal(judged(), CAUSE_SMI);
	assert_non_null(strstr(printed(check_print), "CPU 0 had 1 SMIs in 0 s."));
	assert_non_null(strstr(printed(check_print_json), "\"smis\": 1, \"nmis\": 0"));
	assert_null(strstr(printed(check_print_json), "longest_gap_us"));

	linux_late(0); /* NMIs */
	moments(NULL);
	before.interrupts = after.interrupts = 1;
	strcpy(before.interrupt[0].name, "NMI (Non-maskable interrupts)");
	strcpy(after.interrupt[0].name, "NMI (Non-maskable interrupts)");
	after.interrupt[0].count = 1000;
	assert_int_equal(judged(), CAUSE_NMI);
	before.interrupt[0].count = 2000; /* the counter was reset */
	assert_int_equal(judged(), CAUSE_LINUX);
}

/* A state is blamed if the time to leave it is like the lateness. */
static void test_cause_idle_state(void **state)
{
	(void)state;
	linux_late(LIMPET_REASON_IDLE);
	moments(NULL);
	for (unsigned int i = 0; i < 3; i++) {
		history.moment[i].states = 2;
		history.moment[i].state[0] = (struct history_state){ "C1", 100, 2 };
		history.moment[i].state[1] = (struct history_state){ "C6", 10, 1800 };
	}
	assert_int_equal(judged(), CAUSE_LINUX); /* not entered */
	history.moment[2].state[0].usage++;
	assert_int_equal(judged(), CAUSE_LINUX); /* entered, but fast to leave */
	history.moment[2].state[1].usage += 4;
	assert_int_equal(judged(), CAUSE_IDLE_STATE);
	assert_non_null(
		strstr(thread.cause.found, "state C6, entered 4 times near that job, takes 1800"));
	history.moment[2].state[1].latency_us = 900;
	assert_int_equal(judged(), CAUSE_LINUX);
	history.moment[2].state[1].latency_us = 4000;
	assert_int_equal(judged(), CAUSE_LINUX);
	history.moment[2].state[1].latency_us = 1800;
	check.snapshot.info.mode = LIMPET_MODE_BENEATH; /* Linux's idle states are not used */
	assert_int_equal(judged(), CAUSE_LINUX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_cause_smi),	     TEST(test_cause_nmi),   TEST(test_cause_frequency),
		TEST(test_cause_heat),	     TEST(test_cause_stall), TEST(test_causes_hardware),
		TEST(test_cause_idle_state),
	};

	return tests_run("check_hardware", tests);
}
