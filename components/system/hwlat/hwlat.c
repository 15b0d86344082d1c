// SPDX-License-Identifier: BSD-2-Clause
/*
 * Looks for times in which the machine stops, like Linux's tracer hwlat. Each job of a thread of the highest priority
 * reads the time equally often, so that all jobs run equally long unless the CPU stops in one of them. The kernel
 * counts the run times, without those of Linux's interrupts, and limpet check compares them.
 */
#include <runtime/component.h>
#include <runtime/time.h>

#include <import/sched.h>

#define TRIES 8
#define COUNT_MIN 1000

/* Reads the time `count` times. */
static void look(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		limpet_time();
}

/* Returns the number of readings that take `ticks`. Uses the fastest try, because a try can be disturbed. */
static uint64_t count_find(uint64_t ticks)
{
	uint64_t fastest = UINT64_MAX;

	for (unsigned int i = 0; i < TRIES; i++) {
		const uint64_t from = limpet_time();
		uint64_t took;

		look(COUNT_MIN);
		took = limpet_time() - from;
		if (took < fastest)
			fastest = took;
	}
	return fastest ? ticks * COUNT_MIN / fastest : COUNT_MIN;
}

void component_main(const struct limpet_info *info)
{
	const int64_t width = limpet_arg_number(info, "width-us", 100);
	const int64_t period = limpet_arg_number(info, "period-us", 1000);
	const uint64_t count = count_find(limpet_us_to_ticks((uint64_t)width));
	word due;

	sched_periodic(limpet_us_to_ticks((uint64_t)period), 0);
	for (;;) {
		sched_periodic_wait(&due);
		look(count);
	}
}
