// SPDX-License-Identifier: BSD-2-Clause
/*
 * Implements clocks and sleeps. All clocks read the time-stamp counter. CLOCK_GPOS adds the difference to Linux's real
 * time when the system was loaded.
 */
#include "core.h"

void rtlinux_timeofday(struct timeval *now)
{
	struct timespec t = timespec_from_ns(gethrtime());

	*now = (struct timeval){ .tv_sec = t.tv_sec, .tv_usec = t.tv_nsec / 1000 };
}

hrtime_t gethrtimeres(void)
{
	return 32;
}

static bool clock_valid(clockid_t clock)
{
	return clock == &rtlinux_clock || clock == &rtlinux_clock_hardware ||
	       clock == &rtlinux_clock_gpos;
}

hrtime_t clock_gethrtime(clockid_t clock)
{
	return clock_valid(clock) ? gethrtime() + rtlinux_clock_start(clock) : -1;
}

static int fails(int error)
{
	errno = error;
	return -1;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
	if (!clock_valid(clock))
		return fails(EINVAL);
	*now = timespec_from_ns(clock_gethrtime(clock));
	return 0;
}

int clock_settime(clockid_t clock, const struct timespec *now)
{
	(void)clock;
	(void)now;
	return fails(EINVAL);
}

int clock_getres(clockid_t clock, struct timespec *resolution)
{
	if (!clock_valid(clock))
		return fails(EINVAL);
	*resolution = timespec_from_ns(gethrtimeres());
	return 0;
}

time_t time(time_t *now)
{
	time_t seconds = (time_t)(gethrtime() / NSECS_PER_SEC);

	if (now)
		*now = seconds;
	return seconds;
}

/* The system's timer is one-shot and exact in both modes, so the periodic mode changes nothing but the record. */
int rtl_setclockmode(clockid_t clock, int mode, hrtime_t period)
{
	if (clock != &rtlinux_clock ||
	    (mode != RTL_CLOCK_MODE_ONESHOT && mode != RTL_CLOCK_MODE_PERIODIC) ||
	    (mode == RTL_CLOCK_MODE_PERIODIC && period <= 0))
		return -EINVAL;
	clock->mode = mode;
	return 0;
}

clockid_t rtl_getschedclock(void)
{
	return CLOCK_RTL_SCHED;
}

schedule_t *rtlinux_sched(void)
{
	static schedule_t sched;

	sched.clock = CLOCK_RTL_SCHED;
	sched.rtl_current = rtlinux_self();
	sched.rtl_linux_task = pthread_linux();
	sched.rtl_tasks = NULL;
	for (unsigned int i = 0; i < RTLINUX_THREADS; i++)
		if (rtlinux_valid(&rtlinux_records[i])) {
			rtlinux_records[i].next = sched.rtl_tasks;
			sched.rtl_tasks = &rtlinux_records[i];
		}
	return &sched;
}

void rtl_delay(long ns)
{
	hrtime_t end = gethrtime() + ns;

	while (gethrtime() < end)
		__builtin_ia32_pause();
}

static bool never(void *object)
{
	(void)object;
	return false;
}

/* Sleeps until a time. Returns 0, or EINTR after a signal or a wake-up. */
static int sleep_until(hrtime_t until)
{
	INSIDE;
	int status =
		rtlinux_wait(rtlinux_self(), never, until, WAIT_CANCEL | WAIT_SIGNAL | WAIT_WAKEUP);

	if (status == ECANCELED)
		pthread_exit(PTHREAD_CANCELED);
	return status == ETIMEDOUT || gethrtime() >= until ? 0 : EINTR;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *rest)
{
	hrtime_t until;
	int status;

	if (!clock_valid(clock) || time->tv_nsec < 0 || time->tv_nsec >= NSECS_PER_SEC)
		return EINVAL;
	until = rtlinux_sum(timespec_to_ns(time),
			    flags & TIMER_ABSTIME ? -rtlinux_clock_start(clock) : gethrtime());
	status = sleep_until(until);
	if (status && rest && !(flags & TIMER_ABSTIME))
		*rest = timespec_from_ns(until - gethrtime());
	return status;
}

int nanosleep(const struct timespec *time, struct timespec *rest)
{
	int status = clock_nanosleep(CLOCK_REALTIME, 0, time, rest);

	return status ? fails(status) : 0;
}

int usleep(useconds_t us)
{
	struct timespec time = timespec_from_ns((hrtime_t)us * 1000);

	return nanosleep(&time, NULL);
}

const struct timespec *hrt2ts(hrtime_t time)
{
	struct rtl_thread_struct *self = rtlinux_self();

	self->timeval = timespec_from_ns(time);
	return &self->timeval;
}

int rtl_clockadjust(clockid_t clock, hrtime_t time)
{
	(void)clock;
	(void)time;
	return -EINVAL;
}

int I8253_channel2_free(void)
{
	return 0;
}
