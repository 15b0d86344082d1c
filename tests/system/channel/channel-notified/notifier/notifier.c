// SPDX-License-Identifier: BSD-2-Clause
/* The last notifications of a CPU that the layer stores for Linux are 256, so the numbers of events are around that. */
#include <channel/channel.h>
#include <runtime/component.h>
#include <runtime/time.h>

#include <import/sched.h>

#define PERIOD_US 2000 /* in which the process waits again */
#define MANY 250
#define STEPS 11

static struct limpet_channel few, many;

void component_main(const struct limpet_info *info)
{
	(void)info;
	if (channel_open(&few, "few") || channel_open(&many, "many"))
		return;
	sched_periodic(limpet_us_to_ticks(PERIOD_US), 0);
	for (unsigned int round = 0;;) {
		word due;

		sched_periodic_wait(&due);
		if (!channel_connected(&few) || !channel_events(&few))
			continue;
		channel_event(&few);
		for (unsigned int i = 0; i < MANY + round % STEPS; i++)
			channel_event(&many);
		round++;
	}
}
