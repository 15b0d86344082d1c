// SPDX-License-Identifier: GPL-2.0
#include <time.h>

#include "clock.h"
#include "figure.h"

uint64_t clock_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * CLOCK_SECOND + (uint64_t)now.tv_nsec;
}

/* Returns a reading of both clocks, the fastest of 100 attempts. It leaves the rate unset. */
static struct clock clock_read(void)
{
	struct clock best = { 0 };
	uint64_t min = UINT64_MAX;

	for (int i = 0; i < 100; i++) {
		uint64_t before = figure_time(), ns = clock_now(), after = figure_time();

		if (after - before >= min)
			continue;
		min = after - before;
		best.ticks = before + min / 2;
		best.ns = ns;
	}
	return best;
}

struct clock clock_learn(void)
{
	const struct timespec wait = { .tv_nsec = 200000000 };
	struct clock begin = clock_read(), end;

	nanosleep(&wait, NULL);
	end = clock_read();
	end.ticks_per_ns = (double)(end.ticks - begin.ticks) / (double)(end.ns - begin.ns);
	return end;
}

uint64_t clock_ticks(const struct clock *clock, uint64_t ns)
{
	return clock->ticks + (uint64_t)((double)(ns - clock->ns) * clock->ticks_per_ns);
}
