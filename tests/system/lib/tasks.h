/* SPDX-License-Identifier: GPL-2.0 */
/* Functions for programs that compute and sleep for a given time. Times are in ns. */
#ifndef TEST_TASKS_H
#define TEST_TASKS_H

#include <stdint.h>
#include <time.h>

#define SECOND 1000000000ll
#define MS 1000000ll
#define US 1000ll

static inline int64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * SECOND + t.tv_nsec;
}

/* Sleeps until a time of CLOCK_MONOTONIC. */
static inline void sleep_until(int64_t time)
{
	const struct timespec t = { time / SECOND, time % SECOND };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL))
		;
}

/* Computes for `ns` of the thread's processor time. */
static inline void compute(int64_t ns)
{
	const int64_t end = now(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (now(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

#endif
