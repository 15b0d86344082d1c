// SPDX-License-Identifier: BSD-2-Clause
/* A job that uses processor time, to try schedulers. */
#include <runtime/component.h>
#include <runtime/print.h>
#include <runtime/time.h>

#include <import/sched.h>

#define SPIN 2000 /* iterations of a loop between two checks of the used time */

struct account {
	word ticks, misses, overruns;
};

static struct account account(void)
{
	struct account a = { 0 };

	sched_account(0, &a.ticks, &a.misses, &a.overruns);
	return a;
}

/* Runs until the thread has used `ticks` of processor time. */
static void work(uint64_t ticks)
{
	uint64_t end = account().ticks + ticks;

	do
		for (unsigned int i = 0; i < SPIN; i++)
			asm volatile("");
	while (account().ticks < end);
}

/* Prints the thread's share of the time since `before`, and its jobs. */
static void report(const struct account *before, uint64_t since, uint64_t jobs)
{
	struct account now = account();
	uint64_t passed = limpet_time() - since;

	limpet_print("jobs %lu, misses %lu, overruns %lu, had %lu of 1000\n", jobs, now.misses,
		     now.overruns, (now.ticks - before->ticks) * 1000 / passed);
}

void component_main(const struct limpet_info *info)
{
	uint64_t period = limpet_us_to_ticks((uint64_t)limpet_arg_number(info, "period-us", 10000));
	uint64_t cost = limpet_us_to_ticks((uint64_t)limpet_arg_number(info, "cost-us", 0));
	uint64_t budget = limpet_us_to_ticks((uint64_t)limpet_arg_number(info, "budget-us", 0));
	uint64_t every = (uint64_t)limpet_arg_number(info, "report-every", 50), jobs = 0;
	long status = budget ? sched_reserve(0, budget, period) : LIMPET_OK;
	word due;

	if (status)
		limpet_print("no reservation: %s\n", limpet_error_text(status));
	sched_periodic(period, 0);
	for (;;) {
		struct account before = account();
		uint64_t since = limpet_time();

		for (uint64_t i = 0; i < every; i++, jobs++) {
			work(cost ? cost : period);
			if (cost)
				sched_periodic_wait(&due);
		}
		report(&before, since, jobs);
	}
}
