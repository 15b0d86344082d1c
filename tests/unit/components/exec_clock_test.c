// SPDX-License-Identifier: BSD-2-Clause
/* Tests exec.clock: virtual clocks by rate and by steps, sleeps, invalid arguments, and the vDSO that it hides. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include <executive/linux.h>
#include <guest/numbers.h>
#include <runtime/component.h>

#include "clock.h"
#include "guest_fake.h"

#define ID 5
#define AT 0x5000ul
#define SECOND (1000 * FAKE_TICKS_PER_MS)
#define START 1500000000l
#define ABSOLUTE 1

struct pair {
	long first, second;
};

static void start(int rate, int step)
{
	fake_reset();
	fake_argument("rate", rate);
	fake_argument("step-ns", step);
	fake_argument("start-s", START);
	assert_false(fake_main());
	fake_event(LIMPET_GUEST_BEGIN, ID, 100, 100, 0, LIMPET_GUEST_BY_ENTER);
	fake_put(AT, &(struct pair){ 0, 0 }, sizeof(struct pair));
}

static int setup(void **state)
{
	(void)state;
	start(2000, 0);
	return 0;
}

static struct pair pair_read(void)
{
	struct pair pair;

	assert_true(fake_get(AT, &pair, sizeof(pair)));
	return pair;
}

/* Returns the nanoseconds that the guest reads. */
static long gettime_of(unsigned int id, word clock)
{
	assert_served(fake_call(id, GUEST_CALL_clock_gettime, clock, AT, 0, 0, 0, 0), 0);
	return pair_read().first * (long)BILLION + pair_read().second;
}

static long gettime(word clock)
{
	return gettime_of(ID, clock);
}

static struct executive_answer sleep_until_call(word clock, word flags, long seconds,
						long nanoseconds)
{
	fake_put(AT + 64, &(struct pair){ seconds, nanoseconds }, sizeof(struct pair));
	return fake_call(ID, GUEST_CALL_clock_nanosleep, clock, flags, AT + 64, AT, 0, 0);
}

static void test_rate(void **state)
{
	(void)state;
	assert_int_equal(gettime(CLOCK_MONOTONIC), BILLION);
	fake_now += 3 * SECOND + 1;
	assert_int_equal(gettime(CLOCK_MONOTONIC), 7 * BILLION + 2);
	assert_int_equal(gettime(CLOCK_REALTIME), (START + 6) * BILLION + 2);
	assert_served(fake_call(ID, GUEST_CALL_time, 0, 0, 0, 0, 0, 0), START + 6);
	assert_served(fake_call(ID, GUEST_CALL_time, AT, 0, 0, 0, 0, 0), START + 6);
	assert_int_equal(pair_read().first, START + 6);
	fake_now += FAKE_TICKS_PER_MS;
	assert_served(fake_call(ID, GUEST_CALL_gettimeofday, AT, AT + 32, 0, 0, 0, 0), 0);
	assert_int_equal(pair_read().first, START + 6);
	assert_int_equal(pair_read().second, 2000);
	assert_served(fake_call(ID, GUEST_CALL_gettimeofday, 0, 0, 0, 0, 0, 0), 0);
}

static void test_rate_sleep(void **state)
{
	word now = fake_now;

	(void)state;
	assert_served(sleep_until_call(CLOCK_MONOTONIC, 0, 4, 0), 0);
	assert_int_equal(fake_deadline, now + 2 * SECOND);
	now = fake_now;
	assert_served(sleep_until_call(CLOCK_MONOTONIC, ABSOLUTE, 7, 0), 0);
	assert_int_equal(fake_deadline, now + SECOND);
	now = fake_now;
	assert_served(sleep_until_call(CLOCK_REALTIME, ABSOLUTE, START + 2, 0), 0);
	assert_int_equal(fake_now, now);
	fake_put(AT + 64, &(struct pair){ 2, 0 }, sizeof(struct pair));
	assert_served(fake_call(ID, GUEST_CALL_nanosleep, AT + 64, 0, 0, 0, 0, 0), 0);
	assert_int_equal(fake_deadline, now + SECOND);
}

static void delay(void)
{
	fake_now += 1000;
}

/* Time that passes before the executive has read the request does not make the sleep shorter. */
static void test_delayed(void **state)
{
	word now = fake_now;
	long value = gettime(CLOCK_MONOTONIC);

	(void)state;
	fake_between = delay;
	assert_served(sleep_until_call(CLOCK_MONOTONIC, ABSOLUTE, value / (long)BILLION + 2,
				       value % (long)BILLION),
		      0);
	assert_int_equal(fake_deadline, now + SECOND);
}

/* The remaining time is in the guest's clock. */
static void test_remaining(void **state)
{
	(void)state;
	fake_wait[0] = LIMPET_EINTR;
	fake_wait_time = SECOND;
	assert_answer(sleep_until_call(CLOCK_MONOTONIC, 0, 10, 0), AGAIN);
	assert_int_equal(pair_read().first, 8);
	assert_answer(fake_call(ID, GUEST_CALL_rt_sigreturn, 0, 0, 0, 0, 0, 0), PASS);
	assert_served(sleep_until_call(CLOCK_MONOTONIC, 0, 10, 0), -LINUX_EINTR);
}

static void test_steps(void **state)
{
	(void)state;
	start(1000, 250);
	assert_int_equal(gettime(CLOCK_MONOTONIC), BILLION + 250);
	fake_now += 3 * SECOND;
	assert_int_equal(gettime(CLOCK_MONOTONIC), BILLION + 500);
	assert_int_equal(gettime(CLOCK_REALTIME), START * BILLION + 750);
	assert_int_equal(gettime(CLOCK_PROCESS_CPUTIME_ID), BILLION + 1000);
	assert_served(sleep_until_call(CLOCK_MONOTONIC, 0, 5, 0), 0);
	assert_int_equal(gettime(CLOCK_MONOTONIC), 6 * BILLION + 1250);
	assert_served(sleep_until_call(CLOCK_MONOTONIC, ABSOLUTE, 9, 0), 0);
	assert_int_equal(gettime(CLOCK_MONOTONIC), 9 * BILLION + 250);
	assert_served(sleep_until_call(CLOCK_MONOTONIC, 0, INT64_MAX, 0), 0);
	assert_int_equal(fake_waits, 0);
}

/* Two runs of a program read the same times. A child continues with the clock of its parent. */
static void test_begin(void **state)
{
	long first, second;

	(void)state;
	start(1000, 250);
	first = gettime(CLOCK_REALTIME);
	second = gettime(CLOCK_REALTIME);
	fake_event(LIMPET_GUEST_BEGIN, ID + 1, 101, 101, 1 + ID, LIMPET_GUEST_BY_FORK);
	assert_int_equal(gettime_of(ID + 1, CLOCK_REALTIME), second + 250);
	fake_event(LIMPET_GUEST_BEGIN, ID, 102, 102, 0, LIMPET_GUEST_BY_ENTER);
	assert_int_equal(gettime(CLOCK_REALTIME), first);
	assert_int_equal(gettime(CLOCK_REALTIME), second);
	fake_event(LIMPET_GUEST_BEGIN, ID, 102, 102, ~0ul, LIMPET_GUEST_BY_FORK);
	assert_int_equal(gettime(CLOCK_REALTIME), first);
}

static void test_passed(void **state)
{
	static const word clocks[] = { CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID,
				       CLOCK_UNUSED, CLOCKS, ~0ul };

	(void)state;
	for (unsigned int i = 0; i < array_size(clocks); i++) {
		assert_answer(fake_call(ID, GUEST_CALL_clock_gettime, clocks[i], AT, 0, 0, 0, 0),
			      PASS);
		assert_answer(sleep_until_call(clocks[i], 0, 1, 0), PASS);
	}
	assert_answer(sleep_until_call(CLOCK_REALTIME_ALARM, 0, 1, 0), PASS);
	assert_answer(fake_call(ID, GUEST_CALL_read, 0, 0, 0, 0, 0, 0), PASS);
	assert_answer(fake_event(LIMPET_GUEST_CALL, LIMPET_GUESTS_MAX, GUEST_CALL_time, 0, 0, 0),
		      PASS);
}

static void test_bad_arguments(void **state)
{
	static const word bad[] = { 0x9000, ~0ul, ~7ul, 1ul << 63 };

	(void)state;
	for (unsigned int i = 0; i < array_size(bad); i++) {
		assert_served(fake_call(ID, GUEST_CALL_clock_gettime, 0, bad[i], 0, 0, 0, 0),
			      -LINUX_EFAULT);
		assert_served(fake_call(ID, GUEST_CALL_gettimeofday, bad[i], 0, 0, 0, 0, 0),
			      -LINUX_EFAULT);
		assert_served(fake_call(ID, GUEST_CALL_gettimeofday, 0, bad[i], 0, 0, 0, 0),
			      -LINUX_EFAULT);
		assert_served(fake_call(ID, GUEST_CALL_time, bad[i], 0, 0, 0, 0, 0), -LINUX_EFAULT);
		assert_served(fake_call(ID, GUEST_CALL_nanosleep, bad[i], 0, 0, 0, 0, 0),
			      -LINUX_EFAULT);
	}
	assert_served(fake_call(ID, GUEST_CALL_clock_gettime, 0, 0, 0, 0, 0, 0), -LINUX_EFAULT);
	assert_served(sleep_until_call(CLOCK_MONOTONIC, 0, -1, 0), -LINUX_EINVAL);
	assert_served(sleep_until_call(CLOCK_MONOTONIC, ABSOLUTE, 0, BILLION), -LINUX_EINVAL);
}

#define STACK 0x7ffc00000000ul
#define AT_SYSINFO_EHDR 33
#define AT_PAGESZ 6

/*
 * Makes the stack of a program with this number of words of environment. Returns the address of the type of the
 * vDSO.
 */
static word stack_make(word sp, word environment)
{
	word at = sp;
#define PUSH(value)                                                                                \
	do {                                                                                       \
		word it = (value);                                                                 \
		fake_put(at, &it, sizeof(it));                                                     \
		at += sizeof(it);                                                                  \
	} while (0)
	word found;

	PUSH(2);
	PUSH(33);
	PUSH(33);
	PUSH(0);
	for (word i = 0; i < environment; i++)
		PUSH(33);
	PUSH(0);
	PUSH(AT_PAGESZ);
	PUSH(33);
	found = at;
	PUSH(AT_SYSINFO_EHDR);
	PUSH(0x7fff12345000);
	PUSH(0);
	PUSH(0);
	fake_register[LIMPET_GUEST_RSP] = sp;
	return found;
}

static word word_at(word address)
{
	word value = ~0ul;

	fake_get(address, &value, sizeof(value));
	return value;
}

static void test_vdso(void **state)
{
	static const word environments[] = { 0, 1, 50, 58, 59, 60, 61, 62, 63, 64, 500, 1000, 5000 };

	(void)state;
	for (unsigned int i = 0; i < array_size(environments); i++)
		for (word sp = STACK; sp < STACK + 64; sp += 16) {
			word at = stack_make(sp, environments[i]);

			assert_answer(fake_event(LIMPET_GUEST_EXEC, ID, 100, 100, 0, 0), PASS);
			assert_int_equal(word_at(at), 1);
			assert_int_equal(word_at(at + 8), 0x7fff12345000);
			assert_int_equal(word_at(at - 8), 33);
		}
}

/* The stack can end anywhere, or have invalid contents. */
static void test_vdso_hostile(void **state)
{
	word at, page[512];

	(void)state;
	for (word words = 1; words < 20; words++) {
		setup(state);
		at = STACK + LIMPET_PAGE - words * sizeof(word);
		memset(page, words % 2 ? 0 : 33, sizeof(page));
		fake_put(at, page, words * sizeof(word));
		fake_register[LIMPET_GUEST_RSP] = at;
		fake_event(LIMPET_GUEST_EXEC, ID, 100, 100, 0, 0);
	}
	for (unsigned int i = 0; i < 3; i++) {
		fake_register[LIMPET_GUEST_RSP] = (const word[]){ 0, ~0ul & ~7ul, STACK + 3 }[i];
		assert_answer(fake_event(LIMPET_GUEST_EXEC, ID, 100, 100, 0, 0), PASS);
	}
	at = stack_make(0x10000000, 3); /* a 32-bit program has a different layout */
	fake_event(LIMPET_GUEST_EXEC, ID, 100, 100, 0, 0);
	assert_int_equal(word_at(at), AT_SYSINFO_EHDR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_rate, setup),
		cmocka_unit_test_setup(test_rate_sleep, setup),
		cmocka_unit_test_setup(test_remaining, setup),
		cmocka_unit_test_setup(test_delayed, setup),
		cmocka_unit_test_setup(test_steps, setup),
		cmocka_unit_test_setup(test_begin, setup),
		cmocka_unit_test_setup(test_passed, setup),
		cmocka_unit_test_setup(test_bad_arguments, setup),
		cmocka_unit_test_setup(test_vdso, setup),
		cmocka_unit_test_setup(test_vdso_hostile, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
