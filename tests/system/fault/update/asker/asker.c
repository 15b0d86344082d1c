// SPDX-License-Identifier: GPL-2.0
#include <runtime/component.h>
#include <runtime/print.h>
#include <runtime/time.h>

#include <import/counter.h>
#include <import/sched.h>

#define REPORT 100 /* in calls */

void component_main(const struct limpet_info *info)
{
	uint64_t refused = 0, wrong = 0, less = 0, calls = 0;
	long last = 0;
	word due;

	(void)info;
	sched_periodic(limpet_us_to_ticks(1000), 0);
	for (;;) {
		long now;

		sched_periodic_wait(&due);
		now = counter_life();
		refused += now == LIMPET_ECRASH;
		wrong += now < 0 && now != LIMPET_ECRASH;
		less += now >= 0 && now < last;
		last = now < 0 ? last : now;
		if (++calls % REPORT == 0)
			limpet_print("%lu calls, %lu refused, %lu wrong, %lu less\n", calls,
				     refused, wrong, less);
	}
}
