// SPDX-License-Identifier: BSD-2-Clause
/* The first thread counts once each millisecond. The second thread computes, with a pause after each round. */
#include <runtime/component.h>
#include <runtime/print.h>
#include <runtime/time.h>

#include <import/heartbeat.h>
#include <import/sched.h>

#define COMPUTE 200000
#define REPORT 200 /* beats */

volatile word beats, rounds;
volatile int crash_wanted;

__attribute__((noinline)) void crash(volatile int *address)
{
	*address = 1;
}

__attribute__((noinline)) word beat(word n)
{
	volatile word local = n + 1;

	beats = local;
	if (crash_wanted)
		crash((volatile int *)8);
	return local;
}

static word compute(word argument)
{
	while (!crash_wanted) {
		for (volatile word i = 0; i < COMPUTE; i++)
			;
		rounds++;
		sched_sleep_until(limpet_time() + argument);
	}
	return rounds;
}

void component_main(const struct limpet_info *info)
{
	const word ms = info->ticks_per_ms;
	word n = 0;

	if (sched_create((word)compute, ms, 0) < 0)
		limpet_print("debuggee: has no second thread\n");
	for (;;) {
		n = beat(n);
		heartbeat_beat();
		if (n % REPORT == 0)
			limpet_print("debuggee: %lu beats, %lu rounds\n", n, rounds);
		sched_sleep_until(limpet_time() + ms);
	}
}
