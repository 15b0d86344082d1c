/* SPDX-License-Identifier: GPL-2.0 */
/* Converts times of CLOCK_MONOTONIC to time stamps. */
#ifndef BENCH_CLOCK_H
#define BENCH_CLOCK_H

#include <stdint.h>

#define CLOCK_SECOND 1000000000ul

/* The values of both clocks at one moment, and the rate. */
struct clock {
	uint64_t ticks, ns;
	double ticks_per_ns;
};

/* Returns CLOCK_MONOTONIC in nanoseconds. */
uint64_t clock_now(void);
/* Returns a reading of both clocks with the rate, after a measurement of 200 ms. */
struct clock clock_learn(void);
/* Returns the time stamp of a time in nanoseconds that is not before the clock's reading. */
uint64_t clock_ticks(const struct clock *clock, uint64_t ns);

#endif
