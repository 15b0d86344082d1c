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
static struct history history;

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
	memset(&history, 0, sizeof(history));
	before.steal_ms = after.steal_ms = -1;
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
	check.history = &history;
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

/* Adds a reading of the hardware, in which all counters are unknown. */
static struct history_moment *moment(uint64_t ticks)
{
	struct history_moment *made = &history.moment[history.next++];

	*made = (struct history_moment){ ticks, ticks, -1, -1, -1, -1, -1, -1, .online = "0-1" };
	return made;
}

/* Adds the readings at the start, before the last job, and after it. Each starts as a copy of the first one. */
static void moments(const struct history_moment *first)
{
	static const uint64_t times[] = { 0, 8 * PERIOD, 12 * PERIOD };

	history.next = 0;
	for (unsigned int i = 0; i < 3; i++) {
		struct history_moment *made = moment(0);

		if (first)
			*made = *first;
		made->ticks = made->done = times[i];
	}
	history.first = history.moment[0];
}

/* Analyzes the last job. Returns the cause. */
static enum cause_kind judged(void)
{
	const struct limpet_job_times *worst = check_worst(&check, &thread);

	timeline_take(&sum, &timeline, worst->longest, worst->longest + worst->max);
	history_compare(&history, worst->longest, worst->longest + worst->max, &thread.change);
	thread.analyzed = worst->max;
	check_judge(&check);
	if (thread.cause.kind != CAUSE_NONE) {
		assert_true(*thread.cause.found && *thread.cause.remedy);
		assert_int_equal(thread.cause.remedy[strlen(thread.cause.remedy) - 1], '.');
	}
	return thread.cause.kind;
}

static char *printed(void (*print)(FILE *out, const struct check *check))
{
	static char text[8192];
	FILE *out = fmemopen(text, sizeof(text), "w");

	print(out, &check);
	fclose(out);
	return text;
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

	setup(NULL);
	jobs(1000, 2 * PERIOD, 2 * PERIOD);
	event(release - 10, LIMPET_TRACE_DISPATCH, CHECKED, 0);
	event(release + 10, LIMPET_TRACE_FAULT, CHECKED, 14);
	event(end, LIMPET_TRACE_PAUSE, CHECKED, LIMPET_REASON_IDLE);
	assert_int_equal(judged(), CAUSE_FAULTS);

	thread.now.held = 1;
	assert_int_equal(judged(), CAUSE_BUDGET);
}

/* Lets the thread itself run for 2 ms in the last job, and for 100 us in the others. */
static void own_late(void)
{
	const uint64_t release = 9 * PERIOD;

	setup(NULL);
	jobs(1000, 2 * PERIOD, 2 * PERIOD);
	event(release - 10, LIMPET_TRACE_DISPATCH, CHECKED, 0);
	event(release + 2 * PERIOD, LIMPET_TRACE_PAUSE, CHECKED, LIMPET_REASON_IDLE);
	moments(NULL);
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

/* Lets another thread run for 1.9 ms from the release. */
static void other_late(void)
{
	const uint64_t release = 9 * PERIOD, end = release + 2 * PERIOD;

	setup(NULL);
	jobs(PERIOD + 900000, 100000, 2 * PERIOD);
	event(release - 10, LIMPET_TRACE_DISPATCH, OTHER, 0);
	event(end - 100000, LIMPET_TRACE_DISPATCH, CHECKED, 0);
	event(end, LIMPET_TRACE_PAUSE, CHECKED, LIMPET_REASON_IDLE);
}

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
	check.snapshot.image = (struct image){ (void *)&image, sizeof(image) };
	judged();
	assert_int_equal(thread.cause.kind, CAUSE_LINUX);
	threads[0] = thread;
	check.thread = threads;
	check.threads = 2;
	check_judge(&check);
	assert_int_equal(threads[0].cause.kind, CAUSE_STALL);

	other_late(); /* and while hwlat had it */
	check.snapshot.image = (struct image){ (void *)&image, sizeof(image) };
	judged();
	assert_int_equal(thread.cause.kind, CAUSE_THREAD);
	threads[0] = thread;
	check.thread = threads;
	check.threads = 2;
	check_judge(&check);
	assert_int_equal(threads[0].cause.kind, CAUSE_STALL);
	assert_non_null(strstr(printed(check_print), "for 13.1 % of the time: the longest was 1"));
	assert_non_null(strstr(printed(check_print_json), "\"longest_gap_us\": 1"));
	threads[1].now.run.max = 300000;
	check_judge(&check);
	assert_int_equal(threads[0].cause.kind, CAUSE_THREAD);
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
	throttle(23, 30); /* the events before are lost, and the time differs */
	thread.ran_known = false;
	assert_int_equal(judged(), CAUSE_LINUX);
	throttle(20, 30);
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
	assert_non_null(strstr(thread.cause.found, "for at most 340.0 µs at a time"));
	strcpy(history.moment[2].online, "0");
	assert_int_equal(judged(), CAUSE_CPUS);
	thread.now.run.max = 440000; /* the job before ran that long */
	assert_int_equal(judged(), CAUSE_OWN);
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
	assert_int_equal(machine_priority(root, 7, 1), 99);
	assert_int_equal(machine_priority(root, 7, 0), 0);
	machine_read(&now, root, 5, 90); /* no such CPU */
	assert_int_equal(now.interrupts + now.tasks, 0);
}

/* Reads the hardware's counters from made-up files. The counter of SMIs is at offset 0x34 of the MSR file. */
static void test_history(void **state)
{
	static struct history now;
	struct history_change change;
	char path[128];
	uint64_t count = 77;
	FILE *file;

	(void)state;
	now.next = 0;
	history_read(&now, root, 2); /* no file exists */
	assert_int_equal(now.first.smis, -1);
	assert_int_equal(now.first.nmis, -1);
	assert_int_equal(now.first.transitions, -1);
	assert_int_equal(now.first.khz_max, -1);
	assert_int_equal(now.first.states, 0);
	assert_string_equal(now.first.online, "");
	history_whole(&now, &change);
	assert_int_equal(change.smis + change.nmis, 0);
	assert_false(change.frequency || history_cpus_changed(&change));

	for (int i = 0; i < 2; i++, count++) {
		put("/dev/cpu/2/msr", "");
		snprintf(path, sizeof(path), "%s/dev/cpu/2/msr", root);
		file = fopen(path, "w");
		assert_non_null(file);
		fseek(file, 0x34, SEEK_SET);
		fwrite(&count, sizeof(count), 1, file);
		fclose(file);
		put("/proc/interrupts",
		    i ? "     CPU0  CPU2\n NMI: 1 25  Non-maskable interrupts\n"
		      : "     CPU0  CPU2\n NMI: 1 20  Non-maskable interrupts\n");
		put("/sys/devices/system/cpu/cpu2/cpufreq/stats/total_trans", i ? "12\n" : "11\n");
		put("/sys/devices/system/cpu/cpu2/cpufreq/scaling_cur_freq", "800000\n");
		put("/sys/devices/system/cpu/cpu2/cpufreq/cpuinfo_min_freq", "800000\n");
		put("/sys/devices/system/cpu/cpu2/cpufreq/cpuinfo_max_freq", "3200000\n");
		put("/sys/devices/system/cpu/cpu2/cpuidle/state0/name", "POLL\n");
		put("/sys/devices/system/cpu/cpu2/cpuidle/state0/usage", "5\n");
		put("/sys/devices/system/cpu/cpu2/cpuidle/state0/latency", "0\n");
		put("/sys/devices/system/cpu/cpu2/cpuidle/state1/name", "C6\n");
		put("/sys/devices/system/cpu/cpu2/cpuidle/state1/usage", i ? "9\n" : "6\n");
		put("/sys/devices/system/cpu/cpu2/cpuidle/state1/latency", "133\n");
		put("/sys/devices/system/cpu/online", i ? "0,2\n" : "0-2\n");
		if (!i)
			now.next = 0;
		history_read(&now, root, 2);
	}
	history_whole(&now, &change);
	assert_int_equal(change.smis, 1);
	assert_int_equal(change.nmis, 5);
	assert_true(change.frequency);
	assert_int_equal(change.slowest, 4);
	assert_int_equal(change.khz, 800000);
	assert_string_equal(change.state.name, "C6");
	assert_int_equal(change.state.usage, 3);
	assert_int_equal(change.state.latency_us, 133);
	assert_true(history_cpus_changed(&change));
	put("/sys/devices/system/cpu/cpu2/cpuidle/state0/name", ""); /* a broken file */
	put("/proc/interrupts", "     CPU0  CPU2\n NMI: 1\n");
	history_read(&now, root, 2);
	assert_int_equal(now.moment[2].nmis, -1);
}

/* The readings before and after a job are compared, or the closest ones. */
static void test_history_compare(void **state)
{
	struct history_change change;

	(void)state;
	history_compare(&history, 0, 1, &change);
	assert_int_equal(change.smis, 0);
	for (unsigned int i = 0; i < 4; i++)
		moment(100 + 100 * i)->smis = 10 + i * i;
	history_compare(&history, 250, 290, &change);
	assert_int_equal(change.smis, 3);
	history.moment[1].done = 260; /* an SMI delayed this reading, which counts the SMI */
	history_compare(&history, 250, 290, &change);
	assert_int_equal(change.smis, 4);
	history.moment[1].done = 200;
	history_compare(&history, 0, 1000, &change);
	assert_int_equal(change.smis, 9);
	for (unsigned int i = 0; i < HISTORY_MOMENTS; i++) { /* the first four are overwritten */
		history.moment[history.next % HISTORY_MOMENTS] = history.moment[3];
		history.moment[history.next++ % HISTORY_MOMENTS].ticks = 500 + i;
	}
	history_compare(&history, 0, 1000, &change);
	assert_int_equal(change.smis, 0);
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
		TEST(test_timeline),	    TEST(test_timeline_full),
		TEST(test_timeline_copy),   TEST(test_verdicts),
		TEST(test_causes_within),   TEST(test_causes_between),
		TEST(test_causes_linux),    TEST(test_cause_of_many_parts),
		TEST(test_quantile),	    TEST(test_machine),
		TEST(test_history),	    TEST(test_history_compare),
		TEST(test_cause_unseen),    TEST(test_cause_smi),
		TEST(test_cause_nmi),	    TEST(test_cause_frequency),
		TEST(test_cause_stall),	    TEST(test_cause_throttling),
		TEST(test_causes_hardware), TEST(test_cause_idle_state),
		TEST(test_print),
	};

	if (root_make())
		return 1;
	return cmocka_run_group_tests_name("check", tests, NULL, root_remove);
}
