/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads and converts time stamps. Their unit is the tick of the processor's time-stamp counter;
 * limpet_info()->ticks_per_ms is its frequency.
 */
#ifndef RUNTIME_TIME_H
#define RUNTIME_TIME_H

#include <runtime/component.h>

#ifdef LIMPET_FAKE_KERNEL
uint64_t limpet_time(void);
#else
/* Returns the current time stamp, which is monotonic on a CPU. Costs 4 instructions. */
static inline uint64_t limpet_time(void)
{
	uint32_t low, high;

	asm volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}
#endif

/* The most that a scheduler may let a wait end early, in ticks: 2 µs at 8 GHz. */
#define LIMPET_LEAD_MAX 16384ul

/*
 * Returns at the time stamp `time`, if that is at most LIMPET_LEAD_MAX ticks away. Otherwise returns immediately. The
 * stubs of functions that wait for a time call it: a scheduler ends a wait early, so that the return to the thread
 * takes place before the time. Costs about 12 instructions if the time has passed.
 */
static inline void limpet_time_reach(uint64_t time)
{
	while (time - limpet_time() - 1 < LIMPET_LEAD_MAX)
		;
}

/* Returns the number of ticks in `us` microseconds. */
static inline uint64_t limpet_us_to_ticks(uint64_t us)
{
	return us * limpet_info()->ticks_per_ms / 1000;
}

/* Returns the number of nanoseconds in `ticks`, for times below two hours. */
static inline uint64_t limpet_ticks_to_ns(uint64_t ticks)
{
	return ticks * 1000 / limpet_info()->ticks_per_ms * 1000 +
	       ticks * 1000 % limpet_info()->ticks_per_ms * 1000 / limpet_info()->ticks_per_ms;
}

/* The two arguments that print `ticks` in microseconds by "%lu.%lu", rounded down to tenths. */
#define LIMPET_US(ticks) (limpet_ticks_to_ns(ticks) / 1000), (limpet_ticks_to_ns(ticks) / 100 % 10)

#endif
