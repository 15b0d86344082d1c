// SPDX-License-Identifier: BSD-2-Clause
#include <channel/stop.h>
#include <runtime/component.h>
#include <runtime/print.h>
#include <runtime/time.h>

#include <import/sched.h>

static unsigned int position; /* position of the actuator, 0 to 99, where 0 is safe */

void component_main(const struct limpet_info *info)
{
	word due;

	(void)info;
	sched_periodic(limpet_us_to_ticks(1000), 0);
	if (stop_begin())
		limpet_print("takes part in a stop\n");
	while (!stop_requested()) {
		position = (position + 1) % 100;
		sched_periodic_wait(&due);
	}
	while (position > 0) {
		position--;
		sched_periodic_wait(&due);
	}
	limpet_print("the actuator is parked\n");
	stop_end();
}
