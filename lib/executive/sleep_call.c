// SPDX-License-Identifier: BSD-2-Clause
/* Recognises calls that are sleeps, and computes their deadlines. */
#include <executive/linux.h>
#include <executive/sleep.h>
#include <guest/numbers.h>
#include <runtime/time.h>

#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#define TIMER_ABSTIME 1u

/* Linux reads the number of the clock and the flags as 32-bit numbers, and ignores other flags. */
static bool clock_is_served(word clock, word flags)
{
	const uint32_t number = (uint32_t)clock;

	return number == CLOCK_MONOTONIC || (number == CLOCK_REALTIME && !(flags & TIMER_ABSTIME));
}

static void sleep_until(struct sleep *sleep, word time)
{
	struct executive_clocks clocks;

	if (executive_clocks(sleep->id, &clocks) < 0)
		return; /* the guest has ended */
	sleep->start = clocks.stamp;
	sleep->ticks = time > clocks.monotonic ? sleep_ticks(time - clocks.monotonic) : 0;
}

bool sleep_of_call(struct sleep *sleep, unsigned int id, word number, const word argument[4],
		   long *error)
{
	const bool clock = number == GUEST_CALL_clock_nanosleep;
	const bool absolute = clock && argument[1] & TIMER_ABSTIME;
	struct sleep_time time;

	if (number != GUEST_CALL_nanosleep && !(clock && clock_is_served(argument[0], argument[1])))
		return false;
	*sleep = (struct sleep){ .id = id,
				 .number = number,
				 .argument = { argument[0], argument[1], argument[2], argument[3] },
				 .start = limpet_time(),
				 .rate = SLEEP_RATE };
	*error = sleep_read(&time, argument[clock ? 2 : 0]);
	if (*error)
		return true;
	if (absolute) {
		sleep_until(sleep, sleep_nanoseconds(&time));
		return true;
	}
	sleep->ticks = sleep_ticks(sleep_nanoseconds(&time));
	sleep->remaining = argument[clock ? 3 : 1];
	return true;
}
