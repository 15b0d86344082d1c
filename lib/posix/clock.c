// SPDX-License-Identifier: BSD-2-Clause
/*
 * All clocks are derived from the time stamp. The real time starts with Linux's when the system is loaded, and then
 * follows the time stamp until the program sets it. It does not follow later corrections of Linux's clock.
 */
#include <runtime/component.h>
#include <runtime/time.h>

#include "clock.h"

static int64_t
	real_offset; /* real time less monotonic time in ns; negative if the program has set it so */

/* Returns value * by / over, or UINT64_MAX on overflow. */
static uint64_t scale(uint64_t value, uint64_t by, uint64_t over, bool up)
{
	uint64_t high, low, rest;

	asm("mulq %3" : "=a"(low), "=d"(high) : "a"(value), "r"(by) : "cc");
	if (high >= over)
		return UINT64_MAX;
	asm("divq %4" : "=a"(low), "=d"(rest) : "a"(low), "d"(high), "r"(over) : "cc");
	return up && rest ? low + 1 : low;
}

uint64_t clock_ns(uint64_t ticks)
{
	return scale(ticks, 1000000, limpet_info()->ticks_per_ms, false);
}

uint64_t clock_ticks(uint64_t ns)
{
	return scale(ns, limpet_info()->ticks_per_ms, 1000000, true);
}

bool time_bad(const struct timespec *time)
{
	return time->tv_sec < 0 || time->tv_nsec < 0 || time->tv_nsec >= (long)NS_PER_S;
}

uint64_t time_ns(const struct timespec *time)
{
	if ((uint64_t)time->tv_sec >= INT64_MAX / NS_PER_S)
		return INT64_MAX;
	return (uint64_t)time->tv_sec * NS_PER_S + (uint64_t)time->tv_nsec;
}

struct timespec time_of_ns(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (long)(ns / NS_PER_S),
				  .tv_nsec = (long)(ns % NS_PER_S) };
}

static bool clock_real(word clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}

uint64_t clock_deadline(word clock, const struct timespec *time)
{
	int64_t ns = (int64_t)time_ns(time);

	if (clock_real(clock) && __builtin_sub_overflow(ns, real_offset, &ns))
		ns = INT64_MAX;
	return ns > 0 ? clock_ticks((uint64_t)ns) : 0;
}

uint64_t clock_after(const struct timespec *time)
{
	return clock_after_ns(time_ns(time));
}

uint64_t clock_after_ns(uint64_t ns)
{
	uint64_t ticks = clock_ticks(ns), now = limpet_time();

	return ticks < LIMPET_NEVER - now ? now + ticks : LIMPET_NEVER;
}

uint64_t clock_after_ms(int ms)
{
	return ms < 0 ? LIMPET_NEVER : clock_after_ns((uint64_t)ms * 1000000);
}

void clock_begin(const struct limpet_info *info)
{
	real_offset = (int64_t)(info->real_ns - clock_ns(info->real_stamp));
}

uint64_t clock_real_ns(void)
{
	return clock_ns(limpet_time()) + (uint64_t)real_offset;
}

void clock_real_set(uint64_t ns)
{
	real_offset = (int64_t)(ns - clock_ns(limpet_time()));
}
