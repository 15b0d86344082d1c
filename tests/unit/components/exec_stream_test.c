// SPDX-License-Identifier: BSD-2-Clause
/* Tests exec.stream: its rules, and its promises to guests that receive packets, in simulated time. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include <guest/numbers.h>

#include "stream.h"
#include "turns.h"

#define RULES "a promise 35000\nb promise 20000\nc promise 10000\n"
#define PACKET 12000ul /* ticks per packet, for 83,000 per second */
#define SCARCE 15200ul /* for 65,800, which is hardly more than all promises */
#define BEGAN (1 * SIM_MS)
#define STREAMS 4

static unsigned int chance;

/*
 * With burst 0, a packet is always available. Otherwise `burst` packets arrive in each millisecond, and the socket
 * keeps `kept` of them.
 */
static unsigned int burst, kept;
static word packet;
static unsigned int received[SIM_GUESTS];

static void begin(uint32_t seed)
{
	const char *why;

	fake_reset();
	stream_init(10000, 1000);
	assert_int_equal(stream_rules_read(RULES, strlen(RULES), &why), 0);
	sim_reset(seed, chance);
	memset(received, 0, sizeof(received));
	burst = 0;
	packet = PACKET;
}

static void receiver(unsigned int id)
{
	uint64_t taken = 0, come;

	for (;;) {
		sim_call(GUEST_CALL_read, 0, 0, 0);
		while (burst && taken >= (come = fake_now / SIM_MS * burst))
			sim_sleep(SIM_MS - fake_now % SIM_MS);
		if (burst && come - taken > kept)
			taken = come - kept;
		taken++;
		sim_compute(packet);
		received[id]++;
	}
}

static void start(unsigned int *id)
{
	static const char *const paths[STREAMS] = { "/tmp/a", "/tmp/b", "/tmp/c", "/tmp/d" };

	for (unsigned int i = 0; i < STREAMS; i++)
		id[i] = sim_begin(paths[i], receiver);
}

static void test_wrong_rules(void **state)
{
	static const struct {
		const char *text;
		unsigned int line;
		const char *why;
	} wrong[] = {
		{ "a\n", 1, "needs promise" },
		{ "a share 1\n", 1, "needs promise" },
		{ "\na promise\n", 2, "needs a number" },
		{ "a promise many\n", 1, "needs a number" },
		{ "a promise 10000001\n", 1, "needs a number" },
		{ "a promise 1 2\n", 1, "has words behind" },
		{ "a promise 1\na promise 2\n", 2, "has a rule already" },
		{ "* promise 1\n", 1, "promises something to *" },
	};
	const char *why;

	(void)state;
	for (unsigned int i = 0; i < array_size(wrong); i++) {
		assert_int_equal(stream_rules_read(wrong[i].text, strlen(wrong[i].text), &why),
				 wrong[i].line);
		assert_non_null(strstr(why, wrong[i].why));
	}
	assert_int_equal(stream_rules_read(RULES, strlen(RULES), &why), 0);
}

#define WINDOWS 50

/* Checks that each of the next windows of 10 ms has the promised packets. */
static void windows_check(const unsigned int *id)
{
	static const unsigned int promised[STREAMS] = { 350, 200, 100, 0 };
	unsigned int before[STREAMS];

	for (unsigned int i = 0; i < WINDOWS; i++) {
		for (unsigned int n = 0; n < STREAMS; n++)
			before[n] = received[id[n]];
		sim_run(fake_now + 10 * SIM_MS);
		for (unsigned int n = 0; n < STREAMS; n++)
			assert_true(received[id[n]] - before[n] >= promised[n]);
	}
}

/*
 * Checks that each window of 10 ms has the promised packets. The windows are the periods if packets come in bursts. If a
 * packet is always there, they are shifted against the periods, because each period has the same order then.
 */
static void promises_kept(uint32_t seed, unsigned int its_burst)
{
	const unsigned int shift = its_burst ? 0 : seed % 10;
	unsigned int id[STREAMS], rest;

	begin(seed);
	burst = its_burst;
	kept = 2000;
	sim_slice = SIM_MS; /* a guest that has a packet waits only briefly */
	start(id);
	sim_run(BEGAN + (30 + shift) * SIM_MS);
	rest = received[id[STREAMS - 1]];
	windows_check(id);
	assert_true(received[id[STREAMS - 1]] - rest > WINDOWS * 80);
}

static void test_promises(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed < 10; seed++) {
		promises_kept(seed, 0);
		promises_kept(seed, 42);
	}
}

/*
 * Checks that a promise is kept although the CPU has no time for everybody's extra tokens. The windows are the periods,
 * because windows that start inside a period need extra tokens.
 */
static void test_scarce(void **state)
{
	unsigned int id[STREAMS];

	(void)state;
	for (uint32_t seed = 1; seed < 10; seed++) {
		begin(seed);
		stream_init(2000, 1000);
		packet = SCARCE;
		sim_slice = SIM_MS;
		start(id);
		sim_run(60 * SIM_MS);
		windows_check(id);
	}
}

/* Guests without packets leave their time to other guests. */
static void idler(unsigned int id)
{
	(void)id;
	for (;;) {
		sim_call(GUEST_CALL_read, 0, 0, 0);
		sim_sleep(100 * SIM_MS);
	}
}

static void test_rest(void **state)
{
	unsigned int other;

	(void)state;
	begin(11);
	sim_begin("a", idler);
	sim_begin("b", idler);
	other = sim_begin("d", receiver);
	sim_run(BEGAN + 500 * SIM_MS);
	assert_true(sim_idle <= (chance ? SIM_MS : 0));
	assert_in_range(sim_used(other), 499 * SIM_MS, 500 * SIM_MS);
}

static int with_switches(void **state)
{
	(void)state;
	chance = 60;
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wrong_rules),
		cmocka_unit_test(test_promises),
		cmocka_unit_test(test_scarce),
		cmocka_unit_test(test_rest),
	};
	int failed = cmocka_run_group_tests_name("streams", tests, NULL, NULL);

	return failed +
	       cmocka_run_group_tests_name("switches at any access", tests, with_switches, NULL);
}
