// SPDX-License-Identifier: BSD-2-Clause
/*
 * Implements POSIX timers. A timer belongs to the thread that installed the handler of its signal. Without such a
 * thread it belongs to the caller of timer_settime(). A thread of this file, with the highest priority, fires the
 * timers, so that they also interrupt threads that compute.
 */
#include "core.h"

#define TIMERS 32
#define PERIOD_MIN 20000	   /* ns between two expirations that wake a thread */
#define PERIOD_MIN_PENDING 1000000 /* the same while the thread has not taken the earlier signal */

struct timer {
	clockid_t clock;
	int signal;
	pthread_t owner;
	hrtime_t next; /* 0: disarmed */
	hrtime_t period;
	int overruns;
};

static struct timer timers[TIMERS];
static uint32_t used;	 /* bit N: timer N exists */
static bool changed;	 /* a timer has been set */
static pthread_t firing; /* the thread that fires timers; NULL: not created */

static int fails(int error)
{
	errno = error;
	return -1;
}

static struct timer *timer_of(timer_t id)
{
	return id > 0 && id <= TIMERS && used >> (id - 1) & 1 ? &timers[id - 1] : NULL;
}

/* Returns the time of the next timer, or HRTIME_INFINITY. */
static hrtime_t next_time(void)
{
	hrtime_t next = HRTIME_INFINITY;

	for (uint32_t left = used; left; left &= left - 1) {
		const struct timer *timer = &timers[__builtin_ctz(left)];

		if (timer->next && timer->next < next)
			next = timer->next;
	}
	return next;
}

/* Returns whether the owner has not taken the timer's last signal. */
static bool is_pending(const struct timer *timer)
{
	return timer->owner->pending >> timer->signal & 1;
}

/* Expirations that come too soon count as missed, so that a timer with a tiny period leaves time to the threads. */
static void timer_fire(struct timer *timer, hrtime_t now)
{
	const hrtime_t min = is_pending(timer) ? PERIOD_MIN_PENDING : PERIOD_MIN;
	const hrtime_t until = timer->period < min ? now + min : now;
	const hrtime_t missed = timer->period ? (until - timer->next) / timer->period : 0;

	timer->next = timer->period
			      ? rtlinux_sum(timer->next, rtlinux_product(missed + 1, timer->period))
			      : 0;
	if (!timer->signal || !rtlinux_valid(timer->owner))
		return;
	timer->overruns = (int)missed + (is_pending(timer) ? timer->overruns + 1 : 0);
	rtlinux_signal(timer->owner, timer->signal);
}

static bool changes_take(void *object)
{
	(void)object;
	return __atomic_exchange_n(&changed, false, __ATOMIC_SEQ_CST);
}

static void *fire(void *nothing)
{
	INSIDE;

	for (;;) {
		hrtime_t now;

		rtlinux_wait(timers, changes_take, next_time(), 0);
		now = gethrtime();
		for (uint32_t left = used; left; left &= left - 1) {
			struct timer *timer = &timers[__builtin_ctz(left)];

			if (timer->next && timer->next <= now)
				timer_fire(timer, now);
		}
	}
	return nothing;
}

int timer_create(clockid_t clock, struct sigevent *event, timer_t *id)
{
	INSIDE;

	if (clock != CLOCK_REALTIME || !id ||
	    (event && (event->sigev_notify != SIGEV_SIGNAL && event->sigev_notify != SIGEV_NONE)))
		return fails(EINVAL);
	if (event && event->sigev_notify == SIGEV_SIGNAL &&
	    (event->sigev_signo < RTL_SIGUSR1 || event->sigev_signo > RTL_SIGRTMAX))
		return fails(EINVAL);
	if (!rtlinux_server_start(&firing, fire))
		return fails(EAGAIN);
	for (int i = 0; i < TIMERS; i++)
		if (!(__atomic_fetch_or(&used, 1u << i, __ATOMIC_SEQ_CST) >> i & 1)) {
			timers[i].clock = clock;
			timers[i].signal = !event			       ? SIGALRM
					   : event->sigev_notify == SIGEV_NONE ? 0
									       : event->sigev_signo;
			timers[i].owner = rtlinux_self();
			*id = i + 1;
			return 0;
		}
	return fails(EAGAIN);
}

int timer_delete(timer_t id)
{
	INSIDE;
	struct timer *timer = timer_of(id);

	if (!timer)
		return fails(EINVAL);
	timer->next = 0;
	__atomic_fetch_and(&used, ~(1u << (id - 1)), __ATOMIC_SEQ_CST);
	return 0;
}

static void timer_read(const struct timer *timer, struct itimerspec *value)
{
	hrtime_t rest = timer->next ? timer->next - gethrtime() : 0;

	value->it_interval = timespec_from_ns(timer->period);
	value->it_value = timespec_from_ns(timer->next && rest <= 0 ? 1 : rest);
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
	INSIDE;
	struct timer *timer = timer_of(id);
	pthread_t owner;

	if (!timer || !value || !time_valid(&value->it_value) || !time_valid(&value->it_interval))
		return fails(EINVAL);
	if (old)
		timer_read(timer, old);
	owner = rtlinux_actions[timer->signal].owner;
	timer->next = 0;
	barrier(); /* a disarmed timer is not fired */
	timer->owner = rtlinux_valid(owner) ? owner : rtlinux_self();
	timer->period = timespec_to_ns(&value->it_interval);
	barrier();
	if (!timespec_nz(&value->it_value))
		return 0;
	timer->next = rtlinux_sum(timespec_to_ns(&value->it_value),
				  flags & TIMER_ABSTIME ? 0 : gethrtime());
	__atomic_store_n(&changed, true, __ATOMIC_SEQ_CST);
	rtlinux_wake(timers);
	return 0;
}
