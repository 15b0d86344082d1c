// SPDX-License-Identifier: BSD-2-Clause
#include <channel/stop.h>
#include <runtime/component.h>
#include <runtime/print.h>
#include <runtime/time.h>

#include <import/sched.h>

#define PERIOD_US 100000
#define FINISH 27 /* in periods */

void component_main(const struct limpet_info *info)
{
	word due;

	(void)info;
	sched_periodic(limpet_us_to_ticks(PERIOD_US), 0);
	if (stop_begin())
		limpet_print("takes part in a stop\n");
	while (!stop_requested())
		sched_periodic_wait(&due);
	for (unsigned int i = 0; i < FINISH; i++)
		sched_periodic_wait(&due);
	limpet_print("its slow work has ended\n");
	stop_end();
}
