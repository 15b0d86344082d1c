// SPDX-License-Identifier: GPL-2.0
/*
 * Shows the screen of `limpet top` for a simulated system, for test_top.py. It ends after argv[1]
 * updates.
 */
#include <stdlib.h>
#include <string.h>

#include <cli/common/report.h>
#include <cli/command/top/screen.h>

#include "stat_room.h"

static long looks;

/* Each update is a second later. Thread 2 runs half of the time, thread 1 misses deadlines. */
static bool take(struct snapshot *snapshot)
{
	static uint64_t second;

	if (!looks--)
		return false;
	second++;
	memset(snapshot, 0, sizeof(*snapshot));
	stat_allocate(&snapshot->stat, 1, 1, 2);
	snapshot->info = (struct limpet_ioc_info){ .state = LIMPET_STATE_RUNNING,
						   .uptime_ns = second * 1000000000,
						   .ticks_per_ms = 1000000 };
	snapshot->stat.cpu[0].events = 123 * second;
	snapshot->stat.component[0] =
		(struct limpet_stat_component){ .index = 4, .epoch = 9, .entered = 1000 * second };
	snapshot->stat.thread[0] = (struct limpet_stat_thread){ .id = 1, .misses = 77 };
	snapshot->stat.thread[1] =
		(struct limpet_stat_thread){ .id = 2, .ticks = 500000000 * second };
	return true;
}

int main(int argc, char **argv)
{
	report_begin("top");
	looks = argc > 1 ? atol(argv[1]) : 1;
	return screen_run(take, 50, TOP_CPU);
}
