// SPDX-License-Identifier: BSD-2-Clause
/*
 * A component that must not be affected. It invokes pong with known words, checks the results, and checks that the
 * periodic loop continues. It prints a line only for errors, and periodically its progress.
 */
#include <runtime/component.h>
#include <runtime/memory.h>
#include <runtime/print.h>
#include <runtime/time.h>

#include <import/pong.h>
#include <import/sched.h>
#include <import/stats.h>

#define STATUS_MASK 0x7ffffffful
#define PAUSE_US 2000
#define REPORT 50	/* in turns */
#define CALLS 20	/* calls a turn */
#define STUCK_TURNS 200 /* turns without progress of the loop */

static word private[512]; /* a page that no other component may write */
static uint64_t calls, wrong, turns;

static word mix(word x)
{
	x ^= x >> 29;
	x *= 0xbf58476d1ce4e5b9ul;
	return x ^ x >> 32;
}

static void complain(const char *what)
{
	wrong++;
	limpet_print("wrong: %s\n", what);
}

static void private_check(void)
{
	for (word i = 0; i < array_size(private); i++) {
		if (private[i] != mix(turns + i))
			complain("memory was changed");
		private[i] = mix(turns + 1 + i);
	}
}

static void pong_check(void)
{
	word a = mix(++calls), b = mix(a), c = mix(b), x = 0, y = 0, z = 0;
	long status = pong_call6(a, b, c, b, a, c, &x, &y, &z);

	if (status != (long)((a + b) & STATUS_MASK) || x != c || y != b || z != a + c)
		complain("pong's answer");
}

/* The loop counts its periods. */
static void control_check(void)
{
	static long before;
	static unsigned int stuck;
	word min, max, sum;
	long now = stats_get(&min, &max, &sum);

	stuck = now > before ? 0 : stuck + 1;
	before = now;
	if (stuck == STUCK_TURNS)
		complain("the periodic loop stands still");
}

void component_main(const struct limpet_info *info)
{
	(void)info;
	for (word i = 0; i < array_size(private); i++)
	private[i] = mix(i);
	for (;;) {
		private_check();
		turns++;
		for (unsigned int i = 0; i < CALLS; i++)
			pong_check();
		control_check();
		if (turns % REPORT == 0)
			limpet_print("turns %lu calls %lu wrong %lu\n", turns, calls, wrong);
		sched_sleep_until(limpet_time() + limpet_us_to_ticks(PAUSE_US));
	}
}
