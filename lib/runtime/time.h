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
