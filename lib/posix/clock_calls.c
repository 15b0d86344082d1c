// SPDX-License-Identifier: BSD-2-Clause
/* The system calls that read and set clocks, and that sleep. */
#include "call.h"
#include "clock.h"
#include "posix.h"
#include "timer.h"

static long clock_read(word clock, struct timespec *time)
{
	uint64_t ns;

	if (!clock_now(clock, &ns))
		return -EINVAL;
	*time = time_of_ns(ns);
	return 0;
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
	if (user_effective())
		return -EPERM;
	posix_lock();
	clock_real_set(time_ns(time));
	timers_clock_set();
	for (unsigned int id = 0; id < POSIX_THREADS; id++)
		if (posix_threads[id].sleeps_real)
			thread_wake(&posix_threads[id]);
	posix_unlock();
	return 0;
}

long call_gettimeofday(word to)
{
	const struct timespec time = time_of_ns(clock_real_ns());
	struct timeval *value = (struct timeval *)to;

	if (value)
		*value = (struct timeval){ time.tv_sec, time.tv_nsec / 1000 };
	return 0;
}

long call_time(word to)
{
	const struct timespec time = time_of_ns(clock_real_ns());

	if (to)
		*(long *)to = time.tv_sec;
	return time.tv_sec;
}

/*
 * Sleeps until a clock shows `ns`. Sleeps again if the clock shows an earlier time then, because it was set or counts
 * the run time of threads. Returns 0 or -EINTR.
 */
static long sleep_until(word clock, uint64_t ns)
{
	struct posix_thread *thread = posix_self();
	long status = 0;
	uint64_t now;

	posix_lock();
	thread->sleeps_real = clock == CLOCK_REALTIME;
	while (status != -EINTR && clock_now(clock, &now) && now < ns) {
		thread->waiting = WAITS;
		status = thread_wait(thread, clock_after_ns(ns - now), 0);
	}
	thread->sleeps_real = false;
	posix_unlock();
	return status == -EINTR ? status : 0;
}

long call_clock_nanosleep(word clock, word flags, word time, word rest)
{
	const struct timespec *wanted = (const struct timespec *)time;
	uint64_t now, ns;
	long status;

	if (!clock_settable(clock) || clock == CLOCK_THREAD_CPUTIME_ID || !clock_now(clock, &now) ||
	    time_bad(wanted))
		return -EINVAL;
	ns = time_ns(wanted);
	if (flags & TIMER_ABSTIME)
		return sleep_until(clock, ns);
	if (clock == CLOCK_REALTIME)
		clock = CLOCK_MONOTONIC;
	clock_now(clock, &now);
	ns = ns < INT64_MAX - now ? now + ns : INT64_MAX;
	status = sleep_until(clock, ns);
	if (status == -EINTR && rest && clock_now(clock, &now))
		*(struct timespec *)rest = time_of_ns(now < ns ? ns - now : 0);
	return status;
}

long call_nanosleep(word time, word rest)
{
	return call_clock_nanosleep(CLOCK_MONOTONIC, 0, time, rest);
}
