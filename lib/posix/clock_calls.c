// SPDX-License-Identifier: BSD-2-Clause
/* The system calls that read and set clocks, and that sleep. */
#include <runtime/time.h>

#include <import/sched.h>

#include "call.h"
#include "clock.h"
#include "posix.h"

/* Returns the ticks that a thread has run. */
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
		*time = time_of_ns(clock_real_ns());
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
	clock_real_set(time_ns(time));
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

/* Waits until a time stamp. If a signal ends the wait, stores the remaining time in *rest. */
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
