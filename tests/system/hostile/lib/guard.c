// SPDX-License-Identifier: BSD-2-Clause
/* Supervises the lab. A thread of higher priority periodically asks the lab whether it makes progress. */
#include <runtime/component.h>
#include <runtime/time.h>

#include <import/pong.h>
#include <import/sched.h>

#define PAUSE_US 4000

void component_main(const struct limpet_info *info)
{
	int64_t pause = limpet_arg_number(info, "pause-us", PAUSE_US);

	for (;;) {
		sched_sleep_until(limpet_time() + limpet_us_to_ticks((uint64_t)pause));
		pong_call0();
	}
}
