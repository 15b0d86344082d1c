// SPDX-License-Identifier: BSD-2-Clause
/* A thread with a period of 2 ms, and one disturbance of its own in each `every`th job. */
#include <runtime/component.h>
#include <runtime/print.h>
#include <runtime/time.h>

#include <import/sched.h>

#define PERIOD_US 2000
#define SPIN 200 /* turns of a loop between two looks at what it has used */

/* Computes until the thread has used so much time. */
static void work(uint64_t ticks)
{
	word used, misses, overruns;
	uint64_t end;

	sched_account(0, &used, &misses, &overruns);
	end = used + ticks;
	while (used < end) {
		for (unsigned int i = 0; i < SPIN; i++)
			asm volatile("");
		sched_account(0, &used, &misses, &overruns);
	}
}

static uint64_t argument_ticks(const struct limpet_info *info, const char *name, long us)
{
	return limpet_us_to_ticks((uint64_t)limpet_arg_number(info, name, us));
}

void component_main(const struct limpet_info *info)
{
	const uint64_t period = limpet_us_to_ticks(PERIOD_US);
	const uint64_t cost = argument_ticks(info, "cost-us", 100);
	const uint64_t more = argument_ticks(info, "long-us", 0);
	const uint64_t budget = argument_ticks(info, "budget-us", 0);
	const uint64_t every = (uint64_t)limpet_arg_number(info, "every", 0);
	const bool ends = limpet_arg_number(info, "ends", 0);
	word due;

	if (budget && sched_reserve(0, budget, period))
		limpet_print("no reservation\n");
	sched_periodic(period, 0);
	limpet_print("checked: begins\n");
	for (uint64_t job = 1;; job++) {
		sched_periodic_wait(&due);
		work(cost);
		if (!every || job % every)
			continue;
		work(more);
		if (ends)
			sched_block();
	}
}
