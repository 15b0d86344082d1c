// SPDX-License-Identifier: BSD-2-Clause
#include <channel/stop.h>
#include <runtime/component.h>
#include <runtime/print.h>
#include <runtime/time.h>

#include <import/sched.h>

void component_main(const struct limpet_info *info)
{
	bool asked = false;
	word due;

	(void)info;
	sched_periodic(limpet_us_to_ticks(1000), 0);
	if (stop_begin())
		limpet_print("takes part in a stop\n");
	for (;;) {
		sched_periodic_wait(&due);
		if (!asked && stop_requested())
			limpet_print("ignores the request\n");
		asked = stop_requested();
	}
}
