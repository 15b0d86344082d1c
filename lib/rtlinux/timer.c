// SPDX-License-Identifier: BSD-2-Clause
/*
 * POSIX timers. A timer belongs to the thread that installed the handler of its signal, or to its creator if there is none. A
 * thread runs handlers only when it waits, so it fires its own timers then, and its waits end in time for the next one.
 */
#include "core.h"

#define TIMERS 32

struct timer {
	clockid_t clock;
	int signal;
	pthread_t owner;
	hrtime_t next; /* HRTIME_INFINITY: disarmed */
	hrtime_t period;
	int overruns;
};

static struct timer timers[TIMERS];
static uint32_t used; /* bit N: timer N exists */

static int fails(int error)
{
	errno = error;
	return -1;
}

static struct timer *timer_of(timer_t id)
{
	return id > 0 && id <= TIMERS && used >> (id - 1) & 1 ? &timers[id - 1] : NULL;
}

hrtime_t rtlinux_timers_next(const struct rtl_thread_struct *self)
{
	hrtime_t next = HRTIME_INFINITY;

	for (uint32_t left = used; left; left &= left - 1) {
		const struct timer *timer = &timers[__builtin_ctz(left)];

		if (timer->owner == self && timer->next < next)
			next = timer->next;
	}
	return next;
}

static void timer_fire(struct timer *timer, hrtime_t now)
{
	hrtime_t missed = timer->period ? (now - timer->next) / timer->period : 0;

	timer->overruns = (int)missed;
	timer->next = timer->period ? timer->next + (missed + 1) * timer->period : HRTIME_INFINITY;
	if (timer->signal)
		__atomic_fetch_or(&timer->owner->pending, 1ul << timer->signal, __ATOMIC_SEQ_CST);
}

void rtlinux_timers_fire(const struct rtl_thread_struct *self)
{
	hrtime_t now = used ? gethrtime() : 0;

	for (uint32_t left = used; left; left &= left - 1) {
		struct timer *timer = &timers[__builtin_ctz(left)];

		if (timer->owner == self && timer->next <= now)
			timer_fire(timer, now);
	}
}

int timer_create(clockid_t clock, struct sigevent *event, timer_t *id)
{
	if (clock != CLOCK_REALTIME || !id ||
	    (event && (event->sigev_notify != SIGEV_SIGNAL && event->sigev_notify != SIGEV_NONE)))
		return fails(EINVAL);
	if (event && event->sigev_notify == SIGEV_SIGNAL &&
	    (event->sigev_signo < RTL_SIGUSR1 || event->sigev_signo > RTL_SIGRTMAX))
		return fails(EINVAL);
	for (int i = 0; i < TIMERS; i++)
		if (!(__atomic_fetch_or(&used, 1u << i, __ATOMIC_SEQ_CST) >> i & 1)) {
			timers[i].clock = clock;
			timers[i].signal = !event			       ? SIGALRM
					   : event->sigev_notify == SIGEV_NONE ? 0
									       : event->sigev_signo;
			timers[i].owner = pthread_self();
			timers[i].next = HRTIME_INFINITY;
			*id = i + 1;
			return 0;
		}
	return fails(EAGAIN);
}

int timer_delete(timer_t id)
{
	struct timer *timer = timer_of(id);

	if (!timer)
		return fails(EINVAL);
	timer->next = HRTIME_INFINITY;
	__atomic_fetch_and(&used, ~(1u << (id - 1)), __ATOMIC_SEQ_CST);
	return 0;
}

static void timer_read(const struct timer *timer, struct itimerspec *value)
{
	hrtime_t rest = timer->next == HRTIME_INFINITY ? 0 : timer->next - gethrtime();

	value->it_interval = timespec_from_ns(timer->period);
	value->it_value = timespec_from_ns(timer->next != HRTIME_INFINITY && rest <= 0 ? 1 : rest);
}

int timer_gettime(timer_t id, struct itimerspec *value)
{
	const struct timer *timer = timer_of(id);

	if (!timer || !value)
		return fails(EINVAL);
	timer_read(timer, value);
	return 0;
}

int timer_getoverrun(timer_t id)
{
	const struct timer *timer = timer_of(id);

	return timer ? timer->overruns : fails(EINVAL);
}

static bool time_valid(const struct timespec *time)
{
	return time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec < NSECS_PER_SEC;
}

int timer_settime(timer_t id, int flags, const struct itimerspec *value, struct itimerspec *old)
{
	struct timer *timer = timer_of(id);
	pthread_t owner;

	if (!timer || !value || !time_valid(&value->it_value) || !time_valid(&value->it_interval))
		return fails(EINVAL);
	if (old)
		timer_read(timer, old);
	owner = rtlinux_actions[timer->signal].owner;
	timer->next = HRTIME_INFINITY;
	timer->owner = rtlinux_valid(owner) ? owner : pthread_self();
	timer->period = timespec_to_ns(&value->it_interval);
	if (!timespec_nz(&value->it_value))
		return 0;
	timer->next = timespec_to_ns(&value->it_value) + (flags & TIMER_ABSTIME ? 0 : gethrtime());
	rtlinux_signal(timer->owner, RTL_SIGNAL_NULL); /* a wait ends in time for it */
	return 0;
}
