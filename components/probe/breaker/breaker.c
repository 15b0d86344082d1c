// SPDX-License-Identifier: BSD-2-Clause
/*
 * Measures the time from before a call that crashes until a call has succeeded, which is all that a
 * client notices. If the chosen way crashes immediately, the time is the result. With all ways, the
 * result is that the component survives each one.
 */
#include <runtime/component.h>
#include <runtime/figure.h>
#include <runtime/print.h>
#include <runtime/time.h>

#include <import/fragile.h>
#include <import/sched.h>

#include "../fragile/fragile.h"

#define ROUNDS_MAX 10000
#define WARM_UP 4 /* rounds that are not part of the figure */
#define TRIES 64  /* calls until the component serves again */

static uint32_t values[ROUNDS_MAX];
static uint64_t crashes; /* number of calls that returned ECRASH */
static uint64_t wrong;	 /* rounds after which it did not serve, or returned wrong values */

static int64_t number(const char *name, int64_t otherwise, int64_t min, int64_t max)
{
	int64_t value = limpet_arg_number(limpet_info(), name, otherwise);

	return value < min ? min : value > max ? max : value;
}

/* Returns whether a restarted component returns correct sums. */
static bool serves(void)
{
	return fragile_add(1) == 1 && fragile_add(2) == 3;
}

/*
 * Calls after FRAGILE_SCRIBBLE until a call finds the damage. Otherwise makes the component crash.
 */
static void find_out(void)
{
	for (word i = 0; i < TRIES; i++)
		if (fragile_add(i) == LIMPET_ECRASH) {
			crashes++;
			return;
		}
	crashes += fragile_crash(FRAGILE_INVALID, 0) == LIMPET_ECRASH;
}

/* Makes the component crash once. Returns the ticks until it serves again. */
static uint64_t crash(word way, word chance)
{
	uint64_t start = limpet_time(), ticks;
	long status = fragile_crash(way, chance);
	bool served;

	if (status == LIMPET_ECRASH)
		crashes++;
	else
		find_out();
	served = serves();
	ticks = limpet_time() - start;
	wrong += !served;
	return ticks;
}

static void measure(int64_t rounds, int64_t way, uint64_t pause)
{
	for (int64_t i = 0; i < rounds + WARM_UP; i++) {
		word how = way < 0 ? (word)i % FRAGILE_WAYS : (word)way;
		uint64_t ticks = crash(how, (word)i * 0x9e3779b97f4a7c15ul);

		values[i < WARM_UP ? 0 : i - WARM_UP] = ticks < UINT32_MAX ? (uint32_t)ticks
									   : UINT32_MAX;
		if (pause)
			sched_sleep_until(limpet_time() + pause);
		if (i % 1000 == 999)
			limpet_print("%ld rounds\n", i + 1);
	}
}

void component_main(const struct limpet_info *info)
{
	int64_t rounds = number("rounds", 200, 1, ROUNDS_MAX);
	int64_t way = number("way", 0, -1, FRAGILE_WAYS - 1);
	uint64_t pause = limpet_us_to_ticks((uint64_t)number("pause-us", 0, 0, 1000000));
	struct figure figure;

	(void)info;
	measure(rounds, way, pause);
	figure = figure_of_values(values, (uint64_t)rounds);
	if (way >= 0)
		figure_print(&figure, "fault", "restart", "limpet");
	limpet_print("%lu crashes, %lu wrong\n", crashes, wrong);
	limpet_print("done\n");
	for (;;) { /* the server's heartbeat needs calls */
		fragile_add(1);
		sched_sleep_until(limpet_time() + limpet_info()->ticks_per_ms);
	}
}
