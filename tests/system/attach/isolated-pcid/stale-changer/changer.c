// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>
#include <runtime/time.h>

#include <import/pong.h>
#include <import/sched.h>

void component_main(const struct limpet_info *info)
{
	for (;;) {
		sched_sleep_until(limpet_time() + info->ticks_per_ms);
		pong_call0();
	}
}
