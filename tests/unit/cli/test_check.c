// SPDX-License-Identifier: GPL-2.0
/* Tests the verdicts and causes of `limpet check`, except those in the hardware. */
#include "check_room.h"
#include "json_check.h"

static void test_verdicts(void **state)
{
	(void)state;
	jobs(1000, 100000, 101000);
	assert_int_equal(judged(), CAUSE_NONE);
	assert_int_equal(thread.verdict, CHECK_REALTIME);

	thread.now.response.max = PERIOD - PERIOD / 5 + 1;
	judged();
	assert_int_equal(thread.verdict, CHECK_NARROW);

	check.late_ns = 999;
	thread.now.response.max = 101000;
	judged();
	assert_int_equal(thread.verdict, CHECK_FAILED);

	thread.now.count = thread.before.count = 5;
	judged();
	assert_int_equal(thread.verdict, CHECK_IDLE);

	thread.now.release = PERIOD; /* eight releases have passed since */
	assert_int_equal(judged(), CAUSE_STUCK);
	assert_int_equal(thread.verdict, CHECK_FAILED);
	thread.seen = 5;
	assert_int_equal(judged(), CAUSE_STUCK);
	thread.seen = 4; /* a job ended between two looks */
	judged();
	assert_int_equal(thread.verdict, CHECK_IDLE);
}

/* The last job runs too long, for one reason in each case. */
static void test_causes_within(void **state)
{
	const uint64_t release = 9 * PERIOD, end = release + 2 * PERIOD;

	(void)state;
	jobs(1000, 2 * PERIOD, 2 * PERIOD);
	event(release - 10, LIMPET_TRACE_DISPATCH, CHECKED, 0);
	event(end, LIMPET_TRACE_PAUSE, CHECKED, LIMPET_REASON_IDLE);
	assert_int_equal(judged(), CAUSE_OWN);
	assert_non_null(strstr(thread.cause.found, "2000.0 µs"));

	setup(NULL);
	jobs(1000, 2 * PERIOD, 2 * PERIOD);
	event(release - 10, LIMPET_TRACE_DISPATCH, CHECKED, 0);
	event(release + 10, LIMPET_TRACE_FAULT, CHECKED, 14);
	event(end, LIMPET_TRACE_PAUSE, CHECKED, LIMPET_REASON_IDLE);
	assert_int_equal(judged(), CAUSE_FAULTS);

	thread.now.held = 1;
	assert_int_equal(judged(), CAUSE_BUDGET);
}

static void test_causes_between(void **state)
{
	(void)state;
	other_late();
	assert_int_equal(judged(), CAUSE_THREAD);
	assert_non_null(
		strstr(thread.cause.found, "Thread 3 of component guard ran for 1900.0 µs"));

	timeline_put(&timeline, NULL, 0, 1);
	assert_int_equal(judged(), CAUSE_UNKNOWN);
	moments(NULL);
	strcpy(history.moment[2].online, "0");
	assert_int_equal(judged(), CAUSE_CPUS);
	thread.now.late.max = 1000; /* it began in time */
	assert_int_equal(judged(), CAUSE_UNKNOWN);
}

static void test_causes_linux(void **state)
{
	(void)state;
	linux_late(LIMPET_REASON_IDLE);
	assert_int_equal(judged(), CAUSE_LINUX);
	linux_late(LIMPET_REASON_SHARE);
	assert_int_equal(judged(), CAUSE_SHARE);

	linux_late(0);
	after.throttle_us = 1900;
	after.throttle_period_us = 10000;
	assert_int_equal(judged(), CAUSE_THROTTLING);
	assert_non_null(strstr(thread.cause.found, "1.9 ms of each 10.0 ms"));
	assert_non_null(strstr(thread.cause.remedy, "--linux-share above 190,"));
	after.throttle_us = 50000; /* the time without the CPU is shorter than the throttled time */
	assert_int_equal(judged(), CAUSE_LINUX);

	before.steal_ms = 10;
	after.steal_ms = 12;
	assert_int_equal(judged(), CAUSE_STEAL);

	linux_late(0);
	before.tasks = after.tasks = 2;
	before.task[0] = after.task[0] =
		(struct machine_task){ 17, "idle one", "SCHED_FIFO", 99, 5 };
	before.task[1] = after.task[1] = (struct machine_task){ 18, "busy one", "SCHED_RR", 95, 5 };
	after.task[1].ran_ns += 1900000;
	assert_int_equal(judged(), CAUSE_LINUX_TASK);
	assert_non_null(strstr(thread.cause.found, "busy one (id 18, SCHED_RR, priority 95)"));

	linux_late(0);
	before.interrupts = after.interrupts = 1;
	strcpy(before.interrupt[0].name, "24 (eth0)");
	strcpy(after.interrupt[0].name, "24 (eth0)");
	after.interrupt[0].count = 1000; /* in 10 ms */
	assert_int_equal(judged(), CAUSE_INTERRUPTS);
	assert_non_null(strstr(thread.cause.found, "24 (eth0): 100000 a second"));
	strcpy(before.interrupt[0].name, "LOC (Local timer interrupts)"); /* at most 10 us each */
	strcpy(after.interrupt[0].name, "LOC (Local timer interrupts)");
	assert_int_equal(judged(), CAUSE_LINUX);
}

/* The time from RESUME to the first dispatch counts as Linux's, because no thread has the CPU. */
static void test_cause_before_dispatch(void **state)
{
	const uint64_t release = 9 * PERIOD, end = release + 2 * PERIOD;

	(void)state;
	jobs(PERIOD + 900000, 100000, 2 * PERIOD);
	event(release - 10, LIMPET_TRACE_PAUSE, 1, LIMPET_REASON_IDLE);
	event(release, LIMPET_TRACE_RESUME, LIMPET_TRACE_NONE, 0);
	event(end - 100000, LIMPET_TRACE_DISPATCH, CHECKED, 0);
	event(end, LIMPET_TRACE_PAUSE, CHECKED, LIMPET_REASON_IDLE);
	assert_int_equal(judged(), CAUSE_LINUX);
}

/* Lets throttling of 20 ms in 50 ms stop components for `ms`, after they ran for `ran` of the 50 ms before. */
static void throttle(uint64_t ms, uint64_t ran)
{
	const uint64_t release = 100 * PERIOD, end = release + ms * PERIOD;

	setup(NULL);
	jobs(ms * PERIOD, 100000, ms * PERIOD + 100000);
	thread.now.release = end;
	thread.now.late.longest = thread.now.response.longest = release;
	event(release - 50 * PERIOD, LIMPET_TRACE_PAUSE, 1, LIMPET_REASON_IDLE);
	event(release - ran * PERIOD, LIMPET_TRACE_RESUME, OTHER, 0);
	event(release - 10, LIMPET_TRACE_PAUSE, OTHER, 0);
	event(end, LIMPET_TRACE_RESUME, 1, 0);
	event(end, LIMPET_TRACE_DISPATCH, CHECKED, 0);
	event(end + 100000, LIMPET_TRACE_PAUSE, CHECKED, LIMPET_REASON_IDLE);
	before.throttle_us = after.throttle_us = 20000;
	before.throttle_period_us = after.throttle_period_us = 50000;
	after.ticks = end + PERIOD;
	after.ns = after.ticks;
	thread.ran_known = true;
	thread.ran = ran * PERIOD;
}

/* Throttling starts and ends at ticks of Linux, so its time differs from that of its settings. */
static void test_cause_throttling(void **state)
{
	(void)state;
	throttle(20, 30);
	assert_int_equal(judged(), CAUSE_THROTTLING);
	throttle(23, 27);
	assert_int_equal(judged(), CAUSE_THROTTLING);
	assert_non_null(strstr(thread.cause.found, "for 23000.0 µs at a time"));
	throttle(14, 30);
	assert_int_equal(judged(), CAUSE_THROTTLING);
	throttle(20, 5); /* components used much less than they may */
	assert_int_equal(judged(), CAUSE_LINUX);
	throttle(45, 30); /* much longer than throttling lasts */
	assert_int_equal(judged(), CAUSE_LINUX);
	throttle(23, 27); /* the events begin later, but show that components ran long enough */
	thread.ran_known = false;
	assert_int_equal(judged(), CAUSE_THROTTLING);
	throttle(23, 5); /* they do not show it, and the time differs */
	thread.ran_known = false;
	assert_int_equal(judged(), CAUSE_LINUX);
	throttle(20, 5);
	thread.ran_known = false;
	assert_int_equal(judged(), CAUSE_THROTTLING);
	throttle(20, 30); /* the job is released in the middle of it */
	thread.now.late.longest += 10 * PERIOD;
	thread.now.response.longest += 10 * PERIOD;
	thread.now.response.max = thread.now.late.max = 10 * PERIOD;
	assert_int_equal(judged(), CAUSE_THROTTLING);
	assert_non_null(strstr(thread.cause.found, "for 20000.0 µs at a time"));
}

/* Linux had the CPU while the host thread waited for the wake-up, and no event shows it. */
static void test_cause_unseen(void **state)
{
	const uint64_t release = 9 * PERIOD;

	(void)state;
	jobs(440000, 100000, 541000);
	check.late_ns = 10000;
	event(release - 10, LIMPET_TRACE_RESUME, CHECKED, 0);
	event(release + 541000, LIMPET_TRACE_PAUSE, CHECKED, LIMPET_REASON_IDLE);
	moments(NULL);
	assert_int_equal(judged(), CAUSE_LINUX);
	assert_non_null(strstr(thread.cause.found, "for at most 440.0 µs at a time"));
	strcpy(history.moment[2].online, "0");
	assert_int_equal(judged(), CAUSE_CPUS);
	jobs(59000, 100000, 160000); /* less than one run */
	assert_int_equal(judged(), CAUSE_CPUS);
	jobs(440000, 440000, PERIOD + 440000); /* the job before ended so long after its deadline */
	assert_int_equal(judged(), CAUSE_OWN);
}

/* Interrupts use four parts of a job, of 400 us each. A Linux thread ran for as long as one of them. */
static void test_cause_of_many_parts(void **state)
{
	const uint64_t release = 9 * PERIOD;

	(void)state;
	setup(NULL);
	jobs(0, 400000, 2 * PERIOD);
	event(release - 10, LIMPET_TRACE_DISPATCH, CHECKED, 0);
	for (uint64_t part = 0; part < 4; part++) {
		event(release + part * 500000, LIMPET_TRACE_PAUSE, CHECKED, 0);
		event(release + part * 500000 + 400000, LIMPET_TRACE_RESUME, CHECKED, 0);
	}
	event(release + 2 * PERIOD, LIMPET_TRACE_PAUSE, CHECKED, LIMPET_REASON_IDLE);
	before.tasks = after.tasks = 1;
	before.task[0] = after.task[0] =
		(struct machine_task){ 18, "busy one", "SCHED_FIFO", 99, 5 };
	after.task[0].ran_ns += 400000;
	before.interrupts = after.interrupts = 1;
	strcpy(before.interrupt[0].name, "24 (eth0)");
	strcpy(after.interrupt[0].name, "24 (eth0)");
	after.interrupt[0].count = 1000; /* in 10 ms */
	assert_int_equal(judged(), CAUSE_INTERRUPTS);
	after.task[0].ran_ns += 1000000;
	assert_int_equal(judged(), CAUSE_LINUX_TASK);
	assert_non_null(strstr(thread.cause.found, "for up to 400.0 µs at a time"));
}

static void test_quantile(void **state)
{
	struct limpet_job_times none = { 0 }, times = { .max = 700 };

	(void)state;
	assert_int_equal(check_quantile(&none, &none, 500), 0);
	times.bucket[limpet_job_bucket(300)] = 98;
	times.bucket[limpet_job_bucket(700)] = 2;
	assert_int_equal(check_quantile(&none, &times, 500), 384);
	assert_int_equal(check_quantile(&none, &times, 990), 700);
}

static void test_print(void **state)
{
	(void)state;
	linux_late(LIMPET_REASON_SHARE);
	judged();
	assert_non_null(strstr(printed(check_print),
			       "not real-time. 1 deadline of 10 jobs was missed. "
			       "The worst job ended 1000.0 µs after its deadline."));
	assert_non_null(strstr(printed(check_print), "  remedy: "));
	assert_true(json_is_valid(printed(check_print_json)));
	assert_non_null(strstr(printed(check_print_json), "\"cause\": \"linux-share\""));

	setup(NULL);
	jobs(1000, 100000, 101000);
	judged();
	assert_non_null(
		strstr(printed(check_print), "tracer, thread 2: real-time. The worst of 10 jobs"));
	assert_null(strstr(printed(check_print), "cause:"));
	assert_non_null(
		strstr(printed(check_print_json),
		       "\"result\": \"real-time. The worst of 10 jobs ended 101.0 µs after its "
		       "release, 899.0 µs before its deadline.\""));
	assert_true(json_is_valid(printed(check_print_json)));
	thread.now.missed = 2;
	thread.now.response.max = 3 * PERIOD;
	judged();
	assert_non_null(
		strstr(printed(check_print_json),
		       "\"result\": \"not real-time. 2 deadlines of 10 jobs were missed. The worst "
		       "job ended 2000.0 µs after its deadline.\""));
	thread.before = thread.now; /* no job ended */
	judged();
	assert_true(json_is_valid(printed(check_print_json)));
	setup(NULL);
	jobs(1000, 100000, 101000);
	judged();
	assert_null(strstr(printed(check_print), "time stamp counter"));
	after.ns += after.ns / 50; /* a slow clock */
	assert_non_null(strstr(printed(check_print), "The time stamp counter runs 1.96 % slower"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_verdicts),
		TEST(test_causes_within),
		TEST(test_causes_between),
		TEST(test_causes_linux),
		TEST(test_cause_before_dispatch),
		TEST(test_cause_throttling),
		TEST(test_cause_unseen),
		TEST(test_cause_of_many_parts),
		TEST(test_quantile),
		TEST(test_print),
	};

	return tests_run("check", tests);
}
