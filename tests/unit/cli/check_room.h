/* SPDX-License-Identifier: GPL-2.0 */
/* A checked thread with made-up events, accounts and readings, for the tests of `limpet check`. */
#ifndef TEST_CHECK_ROOM_H
#define TEST_CHECK_ROOM_H

#include "fake_root.h"
#include "guest_image.h"
#include "stat_room.h"

#include <cli/command/check/check.h>

#define PERIOD 1000000ul /* ticks: 1 ms at 1 GHz */
#define CHECKED 2	 /* the checked thread */
#define OTHER 3

static struct timeline timeline;
static struct timeline_sum sum;
static struct check check;
static struct check_thread thread;
static struct machine before, after;
static struct history history;

static inline void event(uint64_t time, enum limpet_trace_kind kind, unsigned int id,
			 unsigned int argument)
{
	const struct limpet_trace_event made = { .time = time,
						 .where = argument << 16,
						 .what = id | (unsigned int)kind << 16 };

	timeline_put(&timeline, &made, 1, 0);
}

static inline int setup(void **state)
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
static inline void jobs(uint64_t late, uint64_t run, uint64_t response)
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
static inline struct history_moment *moment(uint64_t ticks)
{
	struct history_moment *made = &history.moment[history.next++];

	*made = (struct history_moment){ ticks,
					 ticks,
					 -1,
					 -1,
					 -1,
					 -1,
					 -1,
					 -1,
					 .online = "0-1",
					 .hot_core = -1,
					 .hot_package = -1 };
	return made;
}

/* Adds the readings at the start, before the last job, and after it. Each starts as a copy of the first one. */
static inline void moments(const struct history_moment *first)
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
static inline enum cause_kind judged(void)
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

static inline char *printed(void (*print)(FILE *out, const struct check *check))
{
	static char text[8192];
	FILE *out = fmemopen(text, sizeof(text), "w");

	print(out, &check);
	fclose(out);
	return text;
}

/* Lets the thread itself run for 2 ms in the last job, and for 100 us in the others. */
static inline void own_late(void)
{
	const uint64_t release = 9 * PERIOD;

	setup(NULL);
	jobs(1000, 2 * PERIOD, 2 * PERIOD);
	event(release - 10, LIMPET_TRACE_DISPATCH, CHECKED, 0);
	event(release + 2 * PERIOD, LIMPET_TRACE_PAUSE, CHECKED, LIMPET_REASON_IDLE);
	moments(NULL);
}

/* Lets Linux have the CPU at the release, for `reasons`, and return it 1.9 ms later. */
static inline void linux_late(unsigned int reasons)
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
static inline void other_late(void)
{
	const uint64_t release = 9 * PERIOD, end = release + 2 * PERIOD;

	setup(NULL);
	jobs(PERIOD + 900000, 100000, 2 * PERIOD);
	event(release - 10, LIMPET_TRACE_DISPATCH, OTHER, 0);
	event(end - 100000, LIMPET_TRACE_DISPATCH, CHECKED, 0);
	event(end, LIMPET_TRACE_PAUSE, CHECKED, LIMPET_REASON_IDLE);
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

/* Runs the tests with a simulated root. Returns the exit code of the program. */
#define tests_run(group, tests)                                                                    \
	(root_make() ? 1 : cmocka_run_group_tests_name(group, tests, NULL, root_remove))

#endif
