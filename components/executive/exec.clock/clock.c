// SPDX-License-Identifier: BSD-2-Clause
#include "clock.h"

#include <executive/sleep.h>
#include <runtime/time.h>

#define MONOTONIC_START BILLION /* a program can take 0 for an unset time */

/* Only events of its guest use it, and these come one after another, except that children copy it. */
struct clock {
	word origin;  /* time stamp at which it started; not used with steps */
	word stepped; /* nanoseconds by which it was advanced */
};

static struct clock clocks[LIMPET_GUESTS_MAX];
static word speed, step_ns, start_ns;

void clock_init(word rate, word step, word start)
{
	speed = rate;
	step_ns = step;
	start_ns = start * BILLION;
}

void clock_begin(unsigned int id, word parent)
{
	if (parent && parent <= LIMPET_GUESTS_MAX)
		clocks[id] = clocks[parent - 1];
	else
		clocks[id] = (struct clock){ limpet_time(), 0 };
}

bool clock_is_virtual(word clock)
{
	uint32_t number = (uint32_t)clock;

	if (number == CLOCK_PROCESS_CPUTIME_ID || number == CLOCK_THREAD_CPUTIME_ID)
		return step_ns;
	return number < CLOCKS && number != CLOCK_UNUSED;
}

bool clock_has_sleep(word clock)
{
	switch ((uint32_t)clock) {
	case CLOCK_REALTIME:
	case CLOCK_MONOTONIC:
	case CLOCK_BOOTTIME:
	case CLOCK_TAI:
		return true;
	case CLOCK_PROCESS_CPUTIME_ID:
		return step_ns;
	}
	return false;
}

static bool counts_from_1970(uint32_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE ||
	       clock == CLOCK_REALTIME_ALARM || clock == CLOCK_TAI;
}

word clock_read(unsigned int id, word clock)
{
	struct clock *own = &clocks[id];
	word ns;

	if (step_ns)
		ns = own->stepped += step_ns;
	else
		ns = sleep_scaled(sleep_nanoseconds_in(limpet_time() - own->origin), speed,
				  SLEEP_RATE);
	return ns + (counts_from_1970((uint32_t)clock) ? start_ns : MONOTONIC_START);
}

bool clock_sleep(unsigned int id, word ns, word *ticks)
{
	struct clock *clock = &clocks[id];

	if (step_ns)
		clock->stepped += ns < INT64_MAX - clock->stepped ? ns : 0;
	else
		*ticks = sleep_ticks(sleep_scaled(ns, SLEEP_RATE, speed));
	return !step_ns;
}

word clock_rate(void)
{
	return speed;
}
