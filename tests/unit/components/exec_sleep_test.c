// SPDX-License-Identifier: BSD-2-Clause
/* Tests exec.sleep: deadlines, invalid arguments, signals, and the conversions of lib/executive/sleep.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include <executive/linux.h>
#include <executive/sleep.h>
#include <guest/numbers.h>
#include <runtime/component.h>

#include "guest_fake.h"

#define ID 5
#define REQUEST 0x5000ul
#define REMAINING 0x5100ul
#define BILLION 1000000000l
#define ABSOLUTE 1

static int setup(void **state)
{
	(void)state;
	fake_reset();
	fake_argument("early-us", 30);
	assert_false(fake_main());
	fake_event(LIMPET_GUEST_BEGIN, ID, 100, 100, 0, 0);
	return 0;
}

static void request(long seconds, long nanoseconds)
{
	fake_put(REQUEST, (const long[]){ seconds, nanoseconds }, 16);
}

static struct executive_answer nanosleep_call(word remaining)
{
	return fake_call(ID, GUEST_CALL_nanosleep, REQUEST, remaining, 0, 0, 0, 0);
}

static struct executive_answer clock_call(word clock, word flags, word remaining)
{
	return fake_call(ID, GUEST_CALL_clock_nanosleep, clock, flags, REQUEST, remaining, 0, 0);
}

static word remaining_ns(void)
{
	long time[2] = { -1, -1 };

	fake_get(REMAINING, time, sizeof(time));
	return (word)(time[0] * BILLION + time[1]);
}

static void test_sleep(void **state)
{
	word now = fake_now;

	(void)state;
	assert_int_equal(fake_kinds, 1 << LIMPET_GUEST_BEGIN | 1 << LIMPET_GUEST_EXEC |
					     1 << LIMPET_GUEST_SIGNAL);
	request(2, 5);
	assert_served(nanosleep_call(0), 0);
	assert_int_equal(fake_deadline, now + 2 * BILLION + 5);
	assert_int_equal(fake_early, 30000);
	now = fake_now;
	request(0, 7);
	assert_served(clock_call(CLOCK_MONOTONIC, 0, 0), 0);
	assert_int_equal(fake_deadline, now + 7);
	assert_served(clock_call(CLOCK_REALTIME, 0xf0, 0), 0);
	assert_served(clock_call(CLOCK_MONOTONIC | 1ul << 32, 0, 0), 0);
	request(INT64_MAX, 0);
	assert_served(nanosleep_call(0), 0);
	assert_true(fake_deadline >= (word)INT64_MAX);
}

/* The guest's clock is ahead of the time stamp. */
static void test_absolute(void **state)
{
	word now = fake_now;

	(void)state;
	fake_clock[0] = 5 * BILLION;
	request(7, (long)now);
	assert_served(clock_call(CLOCK_MONOTONIC, ABSOLUTE, REMAINING), 0);
	assert_int_equal(fake_deadline, now + 2 * BILLION);
	assert_int_equal(fake_early, 30000);
	fake_waits = 0;
	request(6, 0); /* has expired */
	now = fake_now;
	assert_served(clock_call(CLOCK_MONOTONIC, ABSOLUTE, 0), 0);
	assert_int_equal(fake_now, now);
	request(0, BILLION);
	assert_served(clock_call(CLOCK_MONOTONIC, ABSOLUTE, 0), -LINUX_EINVAL);
	fake_clock[0] = 0;
	/* The remaining time is not written. */
	request(100, 0);
	fake_waits = 0;
	fake_wait[0] = LIMPET_EINTR;
	fake_put(REMAINING, (const long[]){ -1, -1 }, 16);
	assert_answer(clock_call(CLOCK_MONOTONIC, ABSOLUTE, REMAINING), AGAIN);
	assert_int_equal(remaining_ns(), -BILLION - 1);
}

static void test_passed(void **state)
{
	(void)state;
	request(0, 7);
	assert_answer(clock_call(CLOCK_REALTIME, ABSOLUTE, 0), PASS);
	assert_answer(clock_call(CLOCK_PROCESS_CPUTIME_ID, 0, 0), PASS);
	assert_answer(clock_call(CLOCK_BOOTTIME, 0, 0), PASS);
	assert_answer(clock_call(~0ul, 0, 0), PASS);
	assert_answer(fake_call(ID, GUEST_CALL_read, 0, 0, 0, 0, 0, 0), PASS);
	assert_int_equal(fake_waits, 0);
	assert_answer(
		fake_event(LIMPET_GUEST_CALL, LIMPET_GUESTS_MAX, GUEST_CALL_nanosleep, 0, 0, 0),
		PASS);
}

static void test_bad_arguments(void **state)
{
	static const long bad[][2] = {
		{ -1, 0 }, { 0, -1 }, { 0, BILLION }, { 1, INT64_MAX }, { INT64_MIN, 0 }
	};

	(void)state;
	assert_served(nanosleep_call(0), -LINUX_EFAULT);
	for (unsigned int i = 0; i < array_size(bad); i++) {
		request(bad[i][0], bad[i][1]);
		assert_served(nanosleep_call(0), -LINUX_EINVAL);
		assert_served(clock_call(CLOCK_REALTIME, 0, 0), -LINUX_EINVAL);
	}
	assert_served(fake_call(ID, GUEST_CALL_nanosleep, ~0ul, 0, 0, 0, 0, 0), -LINUX_EFAULT);
	assert_int_equal(fake_waits, 0);
}

/* After a signal without a handler, such as SIGCONT, the call continues to its old deadline. */
static void test_stopped(void **state)
{
	word deadline = fake_now + BILLION;

	(void)state;
	request(1, 0);
	fake_put(REMAINING, (const long[]){ 0, 0 }, 16);
	fake_wait[0] = fake_wait[1] = LIMPET_EINTR;
	fake_wait_time = 1000;
	assert_answer(nanosleep_call(REMAINING), AGAIN);
	assert_int_equal(remaining_ns(), BILLION - 1000);
	fake_now += 5000;
	assert_answer(nanosleep_call(REMAINING), AGAIN);
	assert_int_equal(fake_deadline, deadline);
	assert_int_equal(remaining_ns(), BILLION - 7000);
	assert_served(nanosleep_call(REMAINING), 0);
	assert_int_equal(fake_deadline, deadline);
	assert_served(nanosleep_call(REMAINING), 0);
	assert_int_equal(fake_deadline, deadline + BILLION);
}

static void signal_event(enum limpet_guest_fate fate)
{
	assert_answer(fake_event(LIMPET_GUEST_SIGNAL, ID, 14 | (word)fate << 8, 0, 0, 0), PASS);
}

static void signal_return(void)
{
	assert_answer(fake_call(ID, GUEST_CALL_rt_sigreturn, 0, 0, 0, 0, 0, 0), PASS);
}

/* A signal handler makes calls, sleeps, and returns. */
static void test_handler(void **state)
{
	word registers[FAKE_REGISTERS];

	(void)state;
	request(1, 0);
	fake_wait[0] = LIMPET_EINTR;
	assert_answer(clock_call(CLOCK_MONOTONIC, 0, 0), AGAIN);
	memcpy(registers, fake_register, sizeof(registers));
	signal_event(LIMPET_GUEST_HANDLED);
	fake_register[LIMPET_GUEST_RSP] -= 512;
	assert_answer(fake_call(ID, GUEST_CALL_write, 1, 0, 0, 0, 0, 0), PASS);
	assert_served(nanosleep_call(0), 0);
	signal_return();
	memcpy(fake_register, registers, sizeof(registers));
	assert_served(clock_call(CLOCK_MONOTONIC, 0, 0), -LINUX_EINTR);
	assert_served(clock_call(CLOCK_MONOTONIC, 0, 0), 0);
}

/* A handler jumps out of the call with siglongjmp(). The same call then sleeps for its full time. */
static void test_jump(void **state)
{
	(void)state;
	request(1, 0);
	fake_wait[0] = fake_wait[1] = fake_wait[2] = LIMPET_EINTR;
	for (unsigned int i = 0; i < 3; i++) {
		fake_now += 1000;
		assert_answer(nanosleep_call(0), AGAIN);
		assert_int_equal(fake_deadline, fake_now + BILLION);
		signal_event(LIMPET_GUEST_HANDLED);
	}
	assert_served(nanosleep_call(0), 0);
	/* One handler interrupts another, and returns. The other one jumps. */
	fake_waits = 0;
	assert_answer(nanosleep_call(0), AGAIN);
	fake_wait[1] = LIMPET_ETIME;
	fake_now += 1000;
	signal_event(LIMPET_GUEST_HANDLED);
	signal_event(LIMPET_GUEST_HANDLED);
	signal_return();
	assert_served(nanosleep_call(0), 0);
	assert_int_equal(fake_deadline, fake_now);
	/* Both return, after a stop. */
	fake_waits = 0;
	assert_answer(nanosleep_call(0), AGAIN);
	signal_event(LIMPET_GUEST_STOPPED);
	signal_event(LIMPET_GUEST_HANDLED);
	signal_event(LIMPET_GUEST_HANDLED);
	signal_return();
	signal_return();
	assert_served(nanosleep_call(0), -LINUX_EINTR);
}

/* If the handler has jumped out of the call, a new call with the same arguments sleeps for its full time. */
static void test_other_call(void **state)
{
	(void)state;
	request(1, 0);
	fake_wait[0] = fake_wait[2] = fake_wait[4] = LIMPET_EINTR;
	assert_answer(nanosleep_call(0), AGAIN);
	fake_now += 1000;
	fake_register[1]++;
	assert_served(nanosleep_call(0), 0);
	assert_int_equal(fake_deadline, fake_now);
	assert_answer(nanosleep_call(0), AGAIN);
	fake_now += 1000;
	fake_event(LIMPET_GUEST_EXEC, ID, 100, 100, 0, 0);
	fake_deadline = 0;
	assert_served(nanosleep_call(0), 0);
	assert_int_equal(fake_deadline, fake_now);
	assert_answer(nanosleep_call(0), AGAIN);
	fake_now += 1000;
	fake_event(LIMPET_GUEST_BEGIN, ID, 101, 101, 0, 0);
	assert_served(nanosleep_call(0), 0);
}

static void test_remaining_bad(void **state)
{
	(void)state;
	request(1, 0);
	fake_wait[0] = LIMPET_EINTR;
	assert_served(nanosleep_call(REMAINING + 0x1000), -LINUX_EFAULT);
	fake_wait[1] = LIMPET_EINTR;
	fake_wait_time = 2 * BILLION;
	assert_served(nanosleep_call(REMAINING + 0x1000), 0); /* the time has passed */
	fake_wait[2] = LIMPET_ERANGE;
	assert_answer(nanosleep_call(0), PASS);
	fake_orphan = true;
	assert_served(nanosleep_call(0), -LINUX_EFAULT);
}

static void test_conversions(void **state)
{
	struct sleep_time time = { 3, 7 };

	(void)state;
	assert_int_equal(sleep_nanoseconds(&time), 3 * BILLION + 7);
	time.seconds = INT64_MAX;
	assert_int_equal(sleep_nanoseconds(&time), INT64_MAX);
	fake_info.ticks_per_ms = 3000001;
	assert_int_equal(sleep_ticks(1), 4);
	assert_int_equal(sleep_ticks(1000000), 3000001);
	assert_true(sleep_ticks(INT64_MAX) > INT64_MAX);
	fake_info.ticks_per_ms = 1000000000;
	assert_true(sleep_ticks(INT64_MAX) == LIMPET_NEVER);
	fake_info.ticks_per_ms = 3000001;
	assert_int_equal(sleep_nanoseconds_in(3000001), 1000000);
	assert_int_equal(sleep_nanoseconds_in(3), 0);
	assert_int_equal(sleep_scaled(1999, 500, 1000), 999);
	assert_int_equal(sleep_scaled(INT64_MAX, 1000, 1), INT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_sleep, setup),
		cmocka_unit_test_setup(test_absolute, setup),
		cmocka_unit_test_setup(test_passed, setup),
		cmocka_unit_test_setup(test_bad_arguments, setup),
		cmocka_unit_test_setup(test_stopped, setup),
		cmocka_unit_test_setup(test_handler, setup),
		cmocka_unit_test_setup(test_jump, setup),
		cmocka_unit_test_setup(test_other_call, setup),
		cmocka_unit_test_setup(test_remaining_bad, setup),
		cmocka_unit_test_setup(test_conversions, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
