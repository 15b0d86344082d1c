// SPDX-License-Identifier: BSD-2-Clause
/* Tests scheduling policies, reservations for SCHED_DEADLINE, and the processor time of the program. */
#define _GNU_SOURCE
#include "fake.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#include <runtime/types.h>

#include "../../../lib/posix/call.h"
#include "../../../lib/posix/posix.h"
#include "../../../lib/posix/schedule.h"

#define MS FAKE_TICKS_PER_MS
#define NS_PER_MS 1000000ul
#define DEADLINE 6
#define RESET_ON_FORK 0x40000000
#define FIRST_SIZE 48
#define CLONE_OF_PTHREAD 0x50f00ul

static const int zero, ten = 10, sixty = 60;

/* Resets the policies of all threads. */
static int begin(void **state)
{
	fake_begin(state);
	for (unsigned int id = 2; id < 6; id++)
		assert_int_equal(SYS(SYS_sched_setscheduler, id, SCHED_OTHER, &zero), 0);
	return 0;
}

static struct sched_attr deadline(uint64_t runtime, uint64_t end, uint64_t period)
{
	return (struct sched_attr){ .size = sizeof(struct sched_attr),
				    .sched_policy = DEADLINE,
				    .sched_runtime = runtime,
				    .sched_deadline = end,
				    .sched_period = period };
}

static long set(unsigned int tid, struct sched_attr attr)
{
	return SYS(SYS_sched_setattr, tid, &attr, 0);
}

static struct sched_attr get(unsigned int tid)
{
	struct sched_attr attr;

	memset(&attr, 0xee, sizeof(attr));
	assert_int_equal(SYS(SYS_sched_getattr, tid, &attr, sizeof(attr), 0), 0);
	assert_int_equal(attr.size, sizeof(attr));
	return attr;
}

static void test_policies(void **state)
{
	struct sched_attr attr = { .size = FIRST_SIZE, .sched_policy = SCHED_FIFO };

	(void)state;
	assert_int_equal(set(3, attr), -EINVAL); /* no priority */
	attr.sched_priority = 10;
	assert_int_equal(set(3, attr), 0);
	assert_int_equal(fake_reserved[3].priority, 11);
	assert_int_equal(SYS(SYS_sched_getscheduler, 3), SCHED_FIFO);
	assert_int_equal(get(3).sched_policy, SCHED_FIFO);
	assert_int_equal(get(3).sched_priority, 10);
	attr.sched_priority = 49;
	assert_int_equal(set(3, attr), -EINVAL);
	attr = (struct sched_attr){ .sched_policy = SCHED_BATCH, .sched_nice = 5 };
	assert_int_equal(set(3, attr), 0); /* size 0 is that of the first version */
	assert_int_equal(get(3).sched_nice, 5);
	assert_int_equal(SYS(SYS_getpriority, 0, 0), 15);
	attr.sched_nice = 0;
	assert_int_equal(set(3, attr), 0);
	attr.sched_policy = 99;
	assert_int_equal(set(3, attr), -EINVAL);
	attr.sched_policy = ~0u;
	assert_int_equal(set(3, attr), -EINVAL);
}

static void test_refused(void **state)
{
	struct {
		struct sched_attr attr;
		uint8_t rest[8];
	} newer = { .attr = { .size = 64 } };
	struct sched_attr attr = { .size = 47 };

	(void)state;
	assert_int_equal(SYS(SYS_sched_setattr, 0, 0, 0), -EINVAL);
	assert_int_equal(SYS(SYS_sched_setattr, 0, &attr, 0), -E2BIG);
	assert_int_equal(attr.size, sizeof(attr)); /* tells the program the known size */
	assert_int_equal(SYS(SYS_sched_setattr, 0, &newer, 0), 0);
	newer.rest[7] = 1;
	assert_int_equal(SYS(SYS_sched_setattr, 0, &newer, 0), -E2BIG);
	assert_int_equal(newer.attr.size, sizeof(attr));
	attr.size = 4097;
	assert_int_equal(SYS(SYS_sched_setattr, 0, &attr, 0), -E2BIG);
	assert_int_equal(SYS(SYS_sched_setattr, 0, &attr, 1), -EINVAL);
	assert_int_equal(SYS(SYS_sched_setattr, -1, &attr, 0), -EINVAL);
	assert_int_equal(SYS(SYS_sched_setattr, 60, &attr, 0), -ESRCH);
	attr.sched_flags = 2; /* SCHED_FLAG_RECLAIM */
	assert_int_equal(SYS(SYS_sched_setattr, 0, &attr, 0), -EINVAL);
	assert_int_equal(SYS(SYS_sched_getattr, 0, 0, sizeof(attr), 0), -EINVAL);
	assert_int_equal(SYS(SYS_sched_getattr, 0, &attr, FIRST_SIZE - 1, 0), -EINVAL);
	assert_int_equal(SYS(SYS_sched_getattr, 0, &attr, 4097, 0), -EINVAL);
	assert_int_equal(SYS(SYS_sched_getattr, 0, &attr, sizeof(attr), 1), -EINVAL);
	assert_int_equal(SYS(SYS_sched_getattr, -1, &attr, sizeof(attr), 0), -EINVAL);
	assert_int_equal(SYS(SYS_sched_getattr, 60, &attr, sizeof(attr), 0), -ESRCH);
	attr.sched_util_min = 7;
	assert_int_equal(SYS(SYS_sched_getattr, 0, &attr, FIRST_SIZE, 0), 0);
	assert_int_equal(attr.size, FIRST_SIZE);
	assert_int_equal(attr.sched_util_min, 7); /* beyond that size */
}

static void test_deadline(void **state)
{
	struct sched_attr attr = deadline(2 * NS_PER_MS, 10 * NS_PER_MS, 0);

	(void)state;
	assert_int_equal(set(0, attr), 0);
	assert_int_equal(fake_reserved[2].budget, 2 * MS);
	assert_int_equal(fake_reserved[2].period, 10 * MS);
	assert_int_equal(fake_reserved[2].slice, 0);
	attr = get(0);
	assert_int_equal(attr.sched_policy, DEADLINE);
	assert_int_equal(attr.sched_runtime, 2 * NS_PER_MS);
	assert_int_equal(attr.sched_deadline, 10 * NS_PER_MS);
	assert_int_equal(attr.sched_period, 10 * NS_PER_MS);
	assert_int_equal(attr.sched_priority, 0);
	assert_int_equal(set(0, attr), 0);
	assert_int_equal(SYS(SYS_sched_getscheduler, 0), DEADLINE);
	assert_int_equal(SYS(SYS_sched_setparam, 0, &zero), -EINVAL);
	assert_int_equal(SYS(SYS_sched_yield), 0);
	assert_int_equal(fake_job_ends, 1);
	assert_int_equal(fake_yields, 0);
	assert_int_equal(SYS(SYS_sched_setscheduler, 0, SCHED_FIFO, &sixty), -EINVAL);
	assert_int_equal(fake_reserved[2].budget,
			 2 * MS); /* the refused call has changed nothing */
	assert_int_equal(SYS(SYS_sched_setscheduler, 0, SCHED_FIFO, &ten), 0);
	assert_int_equal(fake_reserved[2].budget, 0);
	assert_int_equal(fake_reserved[2].priority, 11);
	assert_int_equal(get(0).sched_runtime, 0);
	SYS(SYS_sched_yield);
	assert_int_equal(fake_yields, 1);
	assert_int_equal(SYS(SYS_sched_setscheduler, 0, DEADLINE, &zero), -EINVAL);
	assert_int_equal(SYS(SYS_sched_get_priority_max, DEADLINE), 0);
	assert_int_equal(SYS(SYS_sched_get_priority_min, DEADLINE), 0);
	assert_string_equal(fake_log, "");
}

static void test_deadline_refused(void **state)
{
	const struct sched_attr good = deadline(2 * NS_PER_MS, 10 * NS_PER_MS, 10 * NS_PER_MS);
	struct sched_attr attr = good;

	(void)state;
	assert_int_equal(set(0, deadline(1023, NS_PER_MS, NS_PER_MS)), -EINVAL);
	assert_int_equal(set(0, deadline(NS_PER_MS + 1, NS_PER_MS, NS_PER_MS)), -EINVAL);
	assert_int_equal(set(0, deadline(NS_PER_MS, NS_PER_MS, NS_PER_MS - 1)), -EINVAL);
	assert_int_equal(set(0, deadline(NS_PER_MS, 0, 0)), -EINVAL);
	assert_int_equal(set(0, deadline(NS_PER_MS, 1ul << 63, 0)), -EINVAL);
	assert_int_equal(set(0, deadline(NS_PER_MS, 2 * NS_PER_MS, 3 * NS_PER_MS)), -EINVAL);
	attr.sched_priority = 1;
	assert_int_equal(set(0, attr), -EINVAL);
	assert_string_equal(fake_log, "");
	fake_reserve = LIMPET_EQUOTA;
	assert_int_equal(set(0, good), -EBUSY);
	fake_reserve = LIMPET_ERANGE;
	assert_int_equal(set(0, good), -EINVAL);
	assert_int_equal(get(0).sched_policy, SCHED_OTHER);
	assert_int_equal(fake_reserved[2].budget, 0);
	assert_int_equal(SYS(SYS_sched_yield), 0);
	assert_int_equal(fake_job_ends, 0);
}

/* Runs before all other tests that refuse sched_setattr(), because only the first refusal is logged. */
static void test_no_deadlines(void **state)
{
	(void)state;
	fake_deadlines = false;
	assert_int_equal(set(0, deadline(NS_PER_MS, NS_PER_MS, NS_PER_MS)), -EINVAL);
	assert_non_null(strstr(fake_log, "(sched_setattr) is not served in this form, the program "
					 "gets EINVAL: the scheduler has no deadlines"));
	assert_int_equal(get(0).sched_policy, SCHED_OTHER);
	fake_log[0] = 0;
	assert_int_equal(set(0, deadline(NS_PER_MS, NS_PER_MS, NS_PER_MS)), -EINVAL);
	assert_string_equal(fake_log, "");
}

static void test_reset_on_fork(void **state)
{
	struct sched_attr attr = deadline(2 * NS_PER_MS, 10 * NS_PER_MS, 0);
	static uint8_t stack[64];

	(void)state;
	assert_int_equal(set(0, attr), 0);
	assert_int_equal(SYS(SYS_clone, CLONE_OF_PTHREAD, stack + sizeof(stack)), -EAGAIN);
	assert_int_equal(SYS(SYS_sched_setscheduler, 0, SCHED_RR | RESET_ON_FORK, &ten), 0);
	assert_int_equal(SYS(SYS_sched_getscheduler, 0), SCHED_RR | RESET_ON_FORK);
	assert_int_equal(get(0).sched_flags, 1);
	assert_int_equal(SYS(SYS_clone, CLONE_OF_PTHREAD, stack + sizeof(stack)), FAKE_CREATED);
	assert_int_equal(SYS(SYS_sched_getscheduler, FAKE_CREATED), SCHED_OTHER);
	assert_int_equal(fake_reserved[FAKE_CREATED].priority, 1);
	assert_int_equal(fake_reserved[FAKE_CREATED].slice, MS);
	thread_forget(&posix_threads[FAKE_CREATED]);
	assert_int_equal(SYS(SYS_sched_setscheduler, 0, SCHED_RR, &ten), 0);
	assert_int_equal(SYS(SYS_sched_getscheduler, 0), SCHED_RR);
	assert_int_equal(SYS(SYS_clone, CLONE_OF_PTHREAD, stack + sizeof(stack)), FAKE_CREATED);
	assert_int_equal(SYS(SYS_sched_getscheduler, FAKE_CREATED), SCHED_RR);
	thread_forget(&posix_threads[FAKE_CREATED]);
}

static void test_sporadic(void **state)
{
	const struct sched_attr attr = { .sched_policy = SCHED_SPORADIC, .sched_priority = 10 };

	(void)state;
	assert_int_equal(SYS(SYS_sched_setscheduler, 0, SCHED_SPORADIC, &ten), -ENOTSUP);
	assert_non_null(strstr(fake_log, "(sched_setscheduler) is not served in this form, the "
					 "program gets ENOTSUP: no scheduler has SCHED_SPORADIC"));
	assert_int_equal(set(0, attr), -ENOTSUP);
	assert_int_equal(SYS(SYS_sched_getscheduler, 0), SCHED_OTHER);
	assert_int_equal(SYS(SYS_sched_get_priority_max, SCHED_SPORADIC), -EINVAL);
}

static void test_user(void **state)
{
	(void)state;
	assert_int_equal(SYS(SYS_setreuid, -1ul, 7), 0);
	assert_int_equal(set(0, deadline(NS_PER_MS, NS_PER_MS, NS_PER_MS)), -EPERM);
}

static uint64_t process_ns(void)
{
	struct timespec time;

	assert_int_equal(SYS(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &time), 0);
	return (uint64_t)time.tv_sec * 1000 * NS_PER_MS + (uint64_t)time.tv_nsec;
}

/* The program's time is that of all its threads since its start, without that of the library's threads. */
static void test_time(void **state)
{
	uint64_t before;
	unsigned int calls;

	(void)state;
	clock_program_begin();
	assert_int_equal(process_ns(), 0);
	fake_ticks[2] += 3 * MS;
	fake_ticks[4] += 4 * MS;
	assert_int_equal(process_ns(), 7 * NS_PER_MS);
	fake_accounts = 0;
	process_ns();
	calls = fake_accounts;
	assert_int_equal(calls, 1);
	for (unsigned int id = 10; id < 60; id++) {
		thread_begin(&posix_threads[id]);
		fake_ticks[id] += MS;
	}
	fake_accounts = 0;
	assert_int_equal(process_ns(), 57 * NS_PER_MS);
	assert_int_equal(fake_accounts, calls); /* however many threads exist */
	for (unsigned int id = 10; id < 60; id++)
		thread_forget(&posix_threads[id]);
	assert_int_equal(process_ns(), 57 * NS_PER_MS); /* ended threads count */
	fake_ticks[FAKE_ALARM] = 5 * MS;		/* a thread of the program that has ended */
	before = process_ns();
	assert_int_equal(before, 62 * NS_PER_MS);
	assert_int_equal(SYS(SYS_alarm, 1),
			 0); /* its place is now the one of the library's thread */
	assert_int_equal(process_ns(), before);
	fake_ticks[FAKE_ALARM] += 9 * MS;
	assert_int_equal(process_ns(), before);
	fake_ticks[3] += MS;
	assert_int_equal(process_ns(), before + NS_PER_MS);
	assert_int_equal(SYS(SYS_alarm, 0), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_no_deadlines, begin),
		cmocka_unit_test_setup(test_policies, begin),
		cmocka_unit_test_setup(test_refused, begin),
		cmocka_unit_test_setup(test_deadline, begin),
		cmocka_unit_test_setup(test_deadline_refused, begin),
		cmocka_unit_test_setup(test_reset_on_fork, begin),
		cmocka_unit_test_setup(test_sporadic, begin),
		cmocka_unit_test_setup(test_time, begin),
		cmocka_unit_test_setup(test_user,
				       begin), /* the last one, because it loses its rights */
	};

	return cmocka_run_group_tests_name("posix scheduling", tests, NULL, NULL);
}
