// SPDX-License-Identifier: BSD-2-Clause
/* Runs a thread with a period of 2 ms. Each job whose number is a multiple of `every` disturbs itself. */
#include <runtime/component.h>
#include <runtime/print.h>
#include <runtime/time.h>

#include <import/mem.h>
#include <import/sched.h>

#define PERIOD_US 2000
#define SPIN 200 /* turns of a loop between two readings of the run time */

/* Computes until the thread has run for `ticks`. */
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

/* Reserves memory, touches each page, and frees it. */
static void pages_touch(uint64_t pages)
{
	word address;
	long status = mem_reserve(pages, LIMPET_READ | LIMPET_WRITE, &address);

	if (status) {
		limpet_print("no memory: %s\n", limpet_error_text(status));
		return;
	}
	for (uint64_t i = 0; i < pages; i++)
		*((volatile char *)address + i * LIMPET_PAGE) = 1;
	mem_free(address);
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
	const uint64_t pages = (uint64_t)limpet_arg_number(info, "pages", 0);
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
		if (pages)
			pages_touch(pages);
		if (ends)
			sched_block();
	}
}
