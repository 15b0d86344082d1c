// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>
#include <runtime/time.h>

#include <import/sched.h>

#define HOUR_MS 3600000

void component_main(const struct limpet_info *info)
{
	int64_t ms = limpet_arg_number(info, "sleep-ms", HOUR_MS);
	uint64_t at = limpet_time();

	for (;;) {
		at += limpet_us_to_ticks((uint64_t)(ms > 0 ? ms : 1) * 1000);
		sched_sleep_until(at);
	}
}
