// SPDX-License-Identifier: BSD-2-Clause
/*
 * Clocks. All of them are the time stamp; the real time begins at 0 with it, until the program sets it.
 */
#include <runtime/time.h>

#include <import/sched.h>

#include "call.h"
#include "clock.h"
#include "posix.h"

static uint64_t real_offset; /* ns from the monotonic to the real time; modulo 2^64 */

/* value * by / over; UINT64_MAX if it does not fit. */
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

bool clock_known(word clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME ||
	       clock == CLOCK_TAI;
}

static bool clock_real(word clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}

uint64_t clock_deadline(word clock, const struct timespec *time)
{
	uint64_t ns = time_ns(time);

	if (clock_real(clock))
		ns = ns > real_offset ? ns - real_offset : 0;
	return clock_ticks(ns);
}

uint64_t clock_after(const struct timespec *time)
{
	uint64_t ticks = clock_ticks(time_ns(time)), now = limpet_time();

	return ticks < LIMPET_NEVER - now ? now + ticks : LIMPET_NEVER;
}

/* Ticks that a thread has run. */
static uint64_t thread_ticks(const struct posix_thread *thread)
{
	word ticks, misses, overruns;

	return sched_account(posix_id(thread), &ticks, &misses, &overruns) < 0 ? 0 : ticks;
}

static uint64_t process_ticks(void)
{
	uint64_t sum = 0;

	for (unsigned int id = 0; id < POSIX_THREADS; id++)
		if (posix_threads[id].alive)
			sum += thread_ticks(&posix_threads[id]);
	return sum;
}

uint64_t clock_process_ns(void)
{
	return clock_ns(process_ticks());
}

static long clock_read(word clock, struct timespec *time)
{
	switch (clock) {
	case CLOCK_REALTIME:
	case CLOCK_REALTIME_COARSE:
	case CLOCK_TAI:
		*time = time_of_ns(clock_ns(limpet_time()) + real_offset);
		return 0;
	case CLOCK_MONOTONIC:
	case CLOCK_MONOTONIC_RAW:
	case CLOCK_MONOTONIC_COARSE:
	case CLOCK_BOOTTIME:
		*time = time_of_ns(clock_ns(limpet_time()));
		return 0;
	case CLOCK_PROCESS_CPUTIME_ID:
		*time = time_of_ns(clock_process_ns());
		return 0;
	case CLOCK_THREAD_CPUTIME_ID:
		*time = time_of_ns(clock_ns(thread_ticks(posix_self())));
		return 0;
	default:
		return -EINVAL;
	}
}

long call_clock_gettime(word clock, word time)
{
	return clock_read(clock, (struct timespec *)time);
}

long call_clock_getres(word clock, word to)
{
	struct timespec time;
	long status = clock_read(clock, &time);

	if (!status && to)
		*(struct timespec *)to = time_of_ns(1 + (999999 / limpet_info()->ticks_per_ms));
	return status;
}

long call_clock_settime(word clock, word from)
{
	const struct timespec *time = (const struct timespec *)from;

	if (clock != CLOCK_REALTIME || time_bad(time))
		return -EINVAL;
	real_offset = time_ns(time) - clock_ns(limpet_time());
	return 0;
}

long call_gettimeofday(word to)
{
	struct timespec time;
	struct timeval *value = (struct timeval *)to;

	clock_read(CLOCK_REALTIME, &time);
	if (value)
		*value = (struct timeval){ time.tv_sec, time.tv_nsec / 1000 };
	return 0;
}

long call_time(word to)
{
	struct timespec time;

	clock_read(CLOCK_REALTIME, &time);
	if (to)
		*(long *)to = time.tv_sec;
	return time.tv_sec;
}

/* Waits; what is left goes to `rest` if a signal ends it. */
static long sleep_until(uint64_t deadline, struct timespec *rest)
{
	struct posix_thread *thread = posix_self();
	uint64_t now;
	long status;

	posix_lock();
	thread->waiting = WAITS;
	status = thread_wait(thread, deadline, 0);
	posix_unlock();
	if (status == -ETIMEDOUT)
		return 0;
	now = limpet_time();
	if (rest)
		*rest = time_of_ns(clock_ns(deadline > now ? deadline - now : 0));
	return status;
}

long call_clock_nanosleep(word clock, word flags, word time, word rest)
{
	const struct timespec *wanted = (const struct timespec *)time;

	if (!clock_known(clock) || time_bad(wanted))
		return -EINVAL;
	if (flags & TIMER_ABSTIME)
		return sleep_until(clock_deadline(clock, wanted), NULL);
	return sleep_until(clock_after(wanted), (struct timespec *)rest);
}

long call_nanosleep(word time, word rest)
{
	return call_clock_nanosleep(CLOCK_MONOTONIC, 0, time, rest);
}
