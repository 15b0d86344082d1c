// SPDX-License-Identifier: GPL-2.0
/* Tests the verdicts and causes of `limpet check` with made-up events, accounts and files. */
#include <unistd.h>

#include "fake_root.h"
#include "guest_image.h"
#include "stat_room.h"

#include <cli/command/check/check.h>

#include "json_check.h"

#define PERIOD 1000000ul /* ticks: 1 ms at 1 GHz */
#define CHECKED 2	 /* the checked thread */
#define OTHER 3

static struct timeline timeline;
static struct timeline_sum sum;
static struct check check;
static struct check_thread thread;
static struct machine before, after;

static void event(uint64_t time, enum limpet_trace_kind kind, unsigned int id,
		  unsigned int argument)
{
	const struct limpet_trace_event made = { .time = time,
						 .where = argument << 16,
						 .what = id | (unsigned int)kind << 16 };

	timeline_put(&timeline, &made, 1, 0);
}

static int setup(void **state)
{
	(void)state;
	timeline.first = timeline.next = 0;
	memset(&sum, 0, sizeof(sum));
	memset(&before, 0, sizeof(before));
	memset(&after, 0, sizeof(after));
	before.smis = before.steal_ms = after.smis = after.steal_ms = -1;
	after.ticks = 10 * PERIOD;
	after.ns = 10 * PERIOD;
	stat_allocate(&check.snapshot.stat, 1, 0, 2);
	check.snapshot.stat.thread[0] = (struct limpet_stat_thread){ .id = CHECKED, .home = 1 };
	check.snapshot.stat.thread[1] = (struct limpet_stat_thread){ .id = OTHER, .home = 2 };
	check.snapshot.info = (struct limpet_ioc_info){ .ticks_per_ms = 1000000, .cpus = 1 };
	check.snapshot.image = (struct image){ (void *)&guest_image, sizeof(guest_image) };
	check.seconds = 0.01;
	check.late_ns = 0;
	check.traced = true;
	check.threads = 1;
	check.thread = &thread;
	check.before = &before;
	check.after = &after;
	check.priority[0] = 90;
	thread = (struct check_thread){ .id = CHECKED, .home = 1, .period = PERIOD, .sum = &sum };
	thread.now.period = PERIOD;
	return 0;
}

/* Makes an account of nine jobs of 100 µs, and of a tenth job that was released at 9 ms and took these times. */
static void jobs(uint64_t late, uint64_t run, uint64_t response)
{
	struct limpet_jobs *now = &thread.now;

	now->count = 10;
	now->release = 9 * PERIOD;
	now->run.bucket[limpet_job_bucket(100000)] = 9;
	now->run.bucket[limpet_job_bucket(run)]++;
	now->run.max = run;
	now->late.max = late;
	now->late.longest = now->release;
	now->response.max = response;
	now->response.longest = now->release;
	now->missed = response > PERIOD;
}

/* Analyzes the last job. Returns the cause. */
static enum cause_kind judged(void)
{
	const struct limpet_job_times *worst = check_worst(&check, &thread);

	timeline_take(&sum, &timeline, worst->longest, worst->longest + worst->max);
	thread.analyzed = worst->max;
	check_judge(&check);
	if (thread.cause.kind != CAUSE_NONE) {
		assert_true(*thread.cause.found && *thread.cause.remedy);
		assert_int_equal(thread.cause.remedy[strlen(thread.cause.remedy) - 1], '.');
	}
	return thread.cause.kind;
}

static void test_timeline(void **state)
{
	(void)state;
	event(100, LIMPET_TRACE_PAUSE, 1, LIMPET_REASON_IDLE);
	event(200, LIMPET_TRACE_RESUME, 1, 0);
	event(210, LIMPET_TRACE_EVENT, CHECKED, 0);
	event(250, LIMPET_TRACE_DISPATCH, CHECKED, 0);
	event(400, LIMPET_TRACE_PAUSE, CHECKED, 0);
	event(450, LIMPET_TRACE_RESUME, CHECKED, 0);
	event(460, LIMPET_TRACE_FAULT, CHECKED, 14);
	event(500, LIMPET_TRACE_PAUSE, CHECKED, LIMPET_REASON_SHARE);
	timeline_take(&sum, &timeline, 150, 480);
	assert_true(sum.whole);
	assert_int_equal(sum.linux[TIMELINE_IDLE], 50);
	assert_int_equal(sum.linux[TIMELINE_INTERRUPT], 50);
	assert_int_equal(sum.linux[TIMELINE_SHARE], 0);
	assert_int_equal(sum.linux_longest, 50);
	assert_int_equal(sum.thread[1], 50);
	assert_int_equal(sum.thread[CHECKED], 180);
	assert_int_equal(sum.interrupts, 1);
	assert_int_equal(sum.woken[CHECKED], 1);
	assert_int_equal(sum.faults[CHECKED], 1);
	assert_int_equal(timeline_linux(&sum), 100);
	assert_int_equal(timeline_end(&timeline), 500);

	timeline_take(&sum, &timeline, 50, 480); /* before the first event */
	assert_false(sum.whole);
	timeline_take(&sum, &timeline, 450, 501); /* after the last */
	assert_false(sum.whole);
	timeline_put(&timeline, NULL, 0, 7); /* events were lost */
	timeline_take(&sum, &timeline, 150, 480);
	assert_false(sum.whole);
}

/* A copy starts with the event that shows the user of the CPU, even if later events do not show it. */
static void test_timeline_copy(void **state)
{
	struct limpet_trace_event *copy;
	size_t count;

	(void)state;
	event(100, LIMPET_TRACE_RESUME, 1, 0);
	event(200, LIMPET_TRACE_DISPATCH, CHECKED, 0);
	event(300, LIMPET_TRACE_EVENT, OTHER, 0);
	event(400, LIMPET_TRACE_FAULT, CHECKED, 14);
	event(500, LIMPET_TRACE_PAUSE, CHECKED, 0);
	copy = timeline_copy(&timeline, 350, 500, &count);
	assert_non_null(copy);
	assert_int_equal(count, 3);
	assert_int_equal(copy[0].time, 200);
	assert_int_equal(copy[2].time, 400);
	free(copy);
	copy = timeline_copy(&timeline, 0, UINT64_MAX, &count);
	assert_int_equal(count, 5);
	free(copy);
	assert_null(timeline_copy(&timeline, 0, 100, &count));
	assert_int_equal(count, 0);
}

/* A full timeline drops its oldest events and keeps all others. */
static void test_timeline_full(void **state)
{
	(void)state;
	for (uint64_t time = 1; time <= TIMELINE_EVENTS + 1000; time++)
		event(time, LIMPET_TRACE_DISPATCH, CHECKED, 0);
	timeline_take(&sum, &timeline, 1001, TIMELINE_EVENTS + 1000);
	assert_true(sum.whole);
	assert_int_equal(sum.thread[CHECKED], TIMELINE_EVENTS - 1);
	timeline_take(&sum, &timeline, 1000, TIMELINE_EVENTS);
	assert_false(sum.whole);
}

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

	before.smis = 3;
	after.smis = 5;
	assert_int_equal(judged(), CAUSE_SMI);
	assert_non_null(strstr(thread.cause.found, "came 2 times"));
	after.smis = 3;
	assert_int_equal(judged(), CAUSE_OWN);

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
	const uint64_t release = 9 * PERIOD, end = release + 2 * PERIOD;

	(void)state;
	jobs(PERIOD + 900000, 100000, 2 * PERIOD);
	event(release - 10, LIMPET_TRACE_DISPATCH, OTHER, 0);
	event(end - 100000, LIMPET_TRACE_DISPATCH, CHECKED, 0);
	event(end, LIMPET_TRACE_PAUSE, CHECKED, LIMPET_REASON_IDLE);
	assert_int_equal(judged(), CAUSE_THREAD);
	assert_non_null(
		strstr(thread.cause.found, "Thread 3 of component guard ran for 1900.0 µs"));

	timeline_put(&timeline, NULL, 0, 1);
	assert_int_equal(judged(), CAUSE_UNKNOWN);
}

/* Lets Linux have the CPU at the release, for `reasons`, and return it 1.9 ms later. */
static void linux_late(unsigned int reasons)
{
	const uint64_t release = 9 * PERIOD, end = release + 2 * PERIOD;

	setup(NULL);
	jobs(PERIOD + 900000, 100000, 2 * PERIOD);
	event(release - 10, LIMPET_TRACE_PAUSE, 1, reasons);
	event(end - 100000, LIMPET_TRACE_RESUME, 1, 0);
	event(end - 100000, LIMPET_TRACE_DISPATCH, CHECKED, 0);
	event(end, LIMPET_TRACE_PAUSE, CHECKED, LIMPET_REASON_IDLE);
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

/* Reads the made-up files of a Linux with two CPUs. */
static void test_machine(void **state)
{
	static struct machine now;

	(void)state;
	put("/proc/interrupts", "           CPU0       CPU1\n"
				"  1:          9         10   IO-APIC   1-edge      i8042\n"
				"LOC:        100        200   Local timer interrupts\n"
				"ERR:          0\n");
	put("/proc/stat", "cpu  1 2 3 4 5 6 7 100 0 0\ncpu0 1 2 3 4 5 6 7 40 0 0\n"
			  "cpu1 1 2 3 4 5 6 7 60 0 0\n");
	put("/proc/sys/kernel/sched_rt_runtime_us", "950000\n");
	put("/proc/sys/kernel/sched_rt_period_us", "1000000\n");
	/* Fields 39 to 41: processor, priority, policy. */
	put("/proc/7/task/8/stat",
	    "8 (a (b) c) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 1 1 1 1 1 1 1 1 "
	    "1 1 0 0 0 0 0 0 17 1 99 1 0 0 0\n");
	put("/proc/7/task/8/schedstat", "12345 6 7\n");
	put("/proc/7/task/9/stat",
	    "9 (low) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 1 1 1 1 1 1 1 1 "
	    "1 1 0 0 0 0 0 0 17 1 10 1 0 0 0\n");
	put("/proc/7/task/9/schedstat", "5 6 7\n");
	put("/dev/cpu/1/msr", "");
	machine_read(&now, root, 1, 90);
	assert_int_equal(now.interrupts, 2);
	assert_string_equal(now.interrupt[0].name, "1 (i8042)");
	assert_int_equal(now.interrupt[0].count, 10);
	assert_string_equal(now.interrupt[1].name, "LOC (Local timer interrupts)");
	assert_int_equal(now.interrupt[1].count, 200);
	assert_int_equal(now.tasks, 1);
	assert_string_equal(now.task[0].name, "a (b) c");
	assert_string_equal(now.task[0].policy, "SCHED_FIFO");
	assert_int_equal(now.task[0].priority, 99);
	assert_int_equal(now.task[0].ran_ns, 12345);
	assert_int_equal(now.steal_ms, 60 * 1000 / sysconf(_SC_CLK_TCK));
	assert_int_equal(now.throttle_us, 50000);
	assert_int_equal(now.throttle_period_us, 1000000);
	assert_int_equal(now.smis, -1);
	assert_int_equal(machine_priority(root, 7, 1), 99);
	assert_int_equal(machine_priority(root, 7, 0), 0);
	machine_read(&now, root, 5, 90); /* no such CPU */
	assert_int_equal(now.interrupts + now.tasks, 0);
}

/* Reads the counter of SMIs: eight bytes at offset 0x34 of the MSR file. */
static void test_smis(void **state)
{
	static struct machine now;
	char path[128];
	const uint64_t count = 77;
	FILE *file;

	(void)state;
	put("/dev/cpu/2/msr", "");
	snprintf(path, sizeof(path), "%s/dev/cpu/2/msr", root);
	file = fopen(path, "w");
	assert_non_null(file);
	fseek(file, 0x34, SEEK_SET);
	fwrite(&count, sizeof(count), 1, file);
	fclose(file);
	machine_read(&now, root, 2, 90);
	assert_int_equal(now.smis, 77);
}

static char *printed(void (*print)(FILE *out, const struct check *check))
{
	static char text[8192];
	FILE *out = fmemopen(text, sizeof(text), "w");

	print(out, &check);
	fclose(out);
	return text;
}

static void test_print(void **state)
{
	(void)state;
	linux_late(LIMPET_REASON_SHARE);
	judged();
	assert_non_null(strstr(printed(check_print),
			       "not real-time. 1 deadlines of 10 jobs were missed; "
			       "the worst job ended 1000.0 µs after its deadline."));
	assert_non_null(strstr(printed(check_print), "  remedy: "));
	assert_true(json_is_valid(printed(check_print_json)));
	assert_non_null(strstr(printed(check_print_json), "\"cause\": \"linux-share\""));

	setup(NULL);
	jobs(1000, 100000, 101000);
	judged();
	assert_non_null(
		strstr(printed(check_print), "tracer, thread 2: real-time. The worst of 10 jobs"));
	assert_null(strstr(printed(check_print), "cause:"));
	assert_null(strstr(printed(check_print), "time stamp counter"));
	after.ns += after.ns / 50; /* a slow clock */
	assert_non_null(strstr(printed(check_print), "The time stamp counter runs 1.96 % slower"));
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_timeline),	  TEST(test_timeline_full),
		TEST(test_timeline_copy), TEST(test_verdicts),
		TEST(test_causes_within), TEST(test_causes_between),
		TEST(test_causes_linux),  TEST(test_cause_of_many_parts),
		TEST(test_quantile),	  TEST(test_machine),
		TEST(test_smis),	  TEST(test_print),
	};

	if (root_make())
		return 1;
	return cmocka_run_group_tests_name("check", tests, NULL, root_remove);
}
