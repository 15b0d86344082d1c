// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>
#include <runtime/print.h>
#include <runtime/time.h>

#include <import/sched.h>

void component_main(const struct limpet_info *info)
{
	(void)info;
	sched_sleep_until(limpet_time() + limpet_us_to_ticks(500000));
	limpet_print("now\n");
	sched_priority(0, 66);
	for (;;) {
		uint64_t end = limpet_time() + limpet_us_to_ticks(50000);

		while (limpet_time() < end)
			;
		limpet_print("still here\n");
	}
}
