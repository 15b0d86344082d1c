// SPDX-License-Identifier: BSD-2-Clause
/* The system calls about timers: POSIX.1-2017, timer_create() and others, setitimer(). */
#include <runtime/time.h>

#include <asm/siginfo.h>
#include <asm/signal.h>

#include "call.h"
#include "clock.h"
#include "signals.h"
#include "timer.h"

#define TIMERS 64
#define ITIMER_LAST ITIMER_PROF /* the first three are those of setitimer and alarm */
#define SIGNAL_MOST 64
#define LOOK_MIN_NS 100000 /* between two looks at a clock of processor time */

struct timer {
	bool used;
	bool absolute;	/* on the real time: setting that changes when it is due */
	uint8_t target; /* thread, 0: the program */
	int signal;	/* 0: none */
	word clock;	/* of timer_create() */
	word base; /* that it counts by: setting the real time does not change how long a relative time is */
	word value;
	uint64_t at, period; /* ns of its clock; at 0: not armed */
	uint64_t due;	     /* time stamp at which to look; LIMPET_NEVER: not armed */
	struct signal_overrun overrun;
};

#define ITIMER(number, signal_of, clock_of)                                                        \
	[number] = { .used = true,                                                                 \
		     .signal = signal_of,                                                          \
		     .clock = clock_of,                                                            \
		     .base = clock_of,                                                             \
		     .due = LIMPET_NEVER }
static struct timer timers[TIMERS] = {
	ITIMER(ITIMER_REAL, SIGALRM, CLOCK_MONOTONIC),
	ITIMER(ITIMER_VIRTUAL, SIGVTALRM, CLOCK_PROCESS_CPUTIME_ID),
	ITIMER(ITIMER_PROF, SIGPROF, CLOCK_PROCESS_CPUTIME_ID),
};

/* Finds out when to look at a timer next. Threads that do not run make processor time come later than that. */
static void timer_plan(struct timer *timer)
{
	uint64_t now = 0;

	if (!timer->at || !clock_now(timer->base, &now)) {
		timer->due = LIMPET_NEVER;
		return;
	}
	now = timer->at > now ? timer->at - now : 0;
	if (now && now < LOOK_MIN_NS && clock_of_thread(timer->base))
		now = LOOK_MIN_NS;
	timer->due = clock_after_ns(now);
}

static void fire(struct timer *timer, uint64_t now)
{
	const struct signal_info info = { .code = timer <= &timers[ITIMER_LAST] ? SI_KERNEL
										: SI_TIMER,
					  .timer = (int)(timer - timers),
					  .overrun = &timer->overrun,
					  .value = timer->value };
	uint64_t passed = timer->period ? (now - timer->at) / timer->period : 0;

	timer->at = timer->period ? timer->at + (passed + 1) * timer->period : 0;
	if (!timer->signal)
		return;
	if (timer->overrun.pending) {
		timer->overrun.count += passed + 1;
		return;
	}
	timer->overrun.count = passed;
	timer->overrun.pending = signal_post(timer->target ? &posix_threads[timer->target] : NULL,
					     timer->signal, &info) == 0 &&
				 info.code == SI_TIMER;
}

void timers_fire(uint64_t now)
{
	uint64_t ns;

	for (unsigned int i = 0; i < TIMERS; i++) {
		struct timer *timer = &timers[i];

		if (!timer->used || timer->due > now)
			continue;
		if (clock_now(timer->base, &ns) && ns >= timer->at)
			fire(timer, ns);
		timer_plan(timer);
	}
}

uint64_t timers_next(void)
{
	uint64_t found = LIMPET_NEVER;

	for (unsigned int i = 0; i < TIMERS; i++)
		if (timers[i].used && timers[i].due < found)
			found = timers[i].due;
	return found;
}

void timers_forget(const struct posix_thread *thread)
{
	for (unsigned int i = 0; i < TIMERS; i++)
		if (timers[i].target == posix_place(thread)) {
			timers[i].at = 0;
			timers[i].due = LIMPET_NEVER;
		}
}

void timers_clock_set(void)
{
	for (unsigned int i = 0; i < TIMERS; i++)
		if (timers[i].used && timers[i].absolute && timers[i].at) {
			timer_plan(&timers[i]);
			alarm_set(timers[i].due);
		}
}

/* --- system calls */

/* The timer with an id of timer_create(), or NULL. */
static struct timer *timer_of(word id)
{
	return id > ITIMER_LAST && id < TIMERS && timers[id].used ? &timers[id] : NULL;
}

static long timer_new(const struct sigevent *event, word clock, struct timer *timer)
{
	*timer = (struct timer){
		.used = true, .clock = clock, .base = clock, .signal = SIGALRM, .due = LIMPET_NEVER
	};
	if (!event)
		return 0;
	timer->value = (word)event->sigev_value.sival_ptr;
	timer->signal = event->sigev_notify == SIGEV_NONE ? 0 : event->sigev_signo;
	if (event->sigev_notify == SIGEV_THREAD_ID) {
		const struct posix_thread *target = thread_of((word)event->_sigev_un._tid);

		if (!target)
			return -EINVAL;
		timer->target = (uint8_t)posix_place(target);
	} else if (event->sigev_notify != SIGEV_SIGNAL && event->sigev_notify != SIGEV_NONE) {
		return -EINVAL;
	}
	return timer->signal < 0 || timer->signal > SIGNAL_MOST ? -EINVAL : 0;
}

long call_timer_create(word clock, word event, word to)
{
	struct timer timer;
	long status = -EAGAIN;
	uint64_t now;

	clock = clock_own(clock);
	if (!clock_settable(clock) || !clock_now(clock, &now))
		return -EINVAL;
	posix_lock();
	for (unsigned int i = ITIMER_LAST + 1; i < TIMERS; i++) {
		if (timers[i].used)
			continue;
		status = timer_new((const struct sigevent *)event, clock, &timer);
		if (!status) {
			if (!event)
				timer.value = i;
			timers[i] = timer;
			*(int *)to = (int)i;
		}
		break;
	}
	posix_unlock();
	return status;
}

static struct itimerspec time_left(const struct timer *timer)
{
	uint64_t now = 0, left = 0;

	if (timer->at && clock_now(timer->base, &now))
		left = timer->at > now ? timer->at - now : 1;
	return (struct itimerspec){ time_of_ns(timer->period), time_of_ns(left) };
}

/* -EAGAIN: no thread is left to fire it. */
static long timer_set(struct timer *timer, const struct itimerspec *time, bool absolute)
{
	const uint64_t value = time_ns(&time->it_value);
	uint64_t now = 0;

	if (value && !alarm_ready())
		return -EAGAIN;
	timer->base = !absolute && timer->clock == CLOCK_REALTIME ? CLOCK_MONOTONIC : timer->clock;
	if (value && !absolute)
		clock_now(timer->base, &now);
	timer->period = time_ns(&time->it_interval);
	timer->at = value ? now + value : 0;
	timer->absolute = absolute && timer->clock == CLOCK_REALTIME;
	timer->overrun.count = 0;
	timer->overrun.last = 0;
	timer_plan(timer);
	alarm_set(timer->due);
	return 0;
}

long call_timer_settime(word id, word flags, word new, word old)
{
	struct timer *timer = timer_of(id);
	const struct itimerspec *time = (const struct itimerspec *)new;
	long status;

	if (!timer || time_bad(&time->it_value) || time_bad(&time->it_interval))
		return -EINVAL;
	posix_lock();
	if (old)
		*(struct itimerspec *)old = time_left(timer);
	status = timer_set(timer, time, flags & TIMER_ABSTIME);
	posix_unlock();
	return status;
}

long call_timer_gettime(word id, word to)
{
	struct timer *timer = timer_of(id);

	if (!timer)
		return -EINVAL;
	*(struct itimerspec *)to = time_left(timer);
	return 0;
}

long call_timer_getoverrun(word id)
{
	struct timer *timer = timer_of(id);

	return timer ? (long)timer->overrun.last : -EINVAL;
}

long call_timer_delete(word id)
{
	struct timer *timer = timer_of(id);

	if (!timer)
		return -EINVAL;
	posix_lock();
	timer->used = false;
	timer->due = LIMPET_NEVER;
	signals_timer_gone(&timer->overrun);
	posix_unlock();
	return 0;
}

static struct itimerval itimer_of(const struct itimerspec *time)
{
	return (struct itimerval){
		{ time->it_interval.tv_sec, time->it_interval.tv_nsec / 1000 },
		{ time->it_value.tv_sec, time->it_value.tv_nsec / 1000 },
	};
}

long call_setitimer(word which, word new, word old)
{
	const struct itimerval *value = (const struct itimerval *)new;
	struct itimerspec time = { 0 }, before;
	long status;

	if (which > ITIMER_LAST)
		return -EINVAL;
	if (value)
		time = (struct itimerspec){
			{ value->it_interval.tv_sec, value->it_interval.tv_usec * 1000 },
			{ value->it_value.tv_sec, value->it_value.tv_usec * 1000 },
		};
	if (time_bad(&time.it_value) || time_bad(&time.it_interval))
		return -EINVAL;
	posix_lock();
	before = time_left(&timers[which]);
	status = timer_set(&timers[which], &time, false);
	posix_unlock();
	if (old)
		*(struct itimerval *)old = itimer_of(&before);
	return status;
}

long call_getitimer(word which, word to)
{
	struct itimerspec time;

	if (which > ITIMER_LAST)
		return -EINVAL;
	time = time_left(&timers[which]);
	*(struct itimerval *)to = itimer_of(&time);
	return 0;
}

long call_alarm(word seconds)
{
	struct itimerval new = { { 0, 0 }, { (long)(unsigned int)seconds, 0 } }, old;

	call_setitimer(ITIMER_REAL, (word) & new, (word)&old);
	return old.it_value.tv_sec + (old.it_value.tv_usec ? 1 : 0);
}
