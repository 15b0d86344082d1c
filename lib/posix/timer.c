// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/memory.h>
#include <runtime/time.h>

#include <asm/siginfo.h>
#include <asm/signal.h>

#include "call.h"
#include "clock.h"
#include "signals.h"
#include "timer.h"

#define TIMERS 32
#define ITIMER 0 /* that of setitimer and alarm */
#define SIGNAL_MOST 64

struct timer {
	bool used;
	uint8_t clock;
	uint8_t target; /* thread, 0: the program */
	int signal;	/* 0: none */
	word value;
	uint64_t due, period; /* ticks; due LIMPET_NEVER: not armed */
	struct signal_overrun overrun;
};

static struct timer timers[TIMERS] = {
	[ITIMER] = { .used = true, .signal = SIGALRM, .due = LIMPET_NEVER }
};
static uint64_t soonest = LIMPET_NEVER;

static void soonest_find(void)
{
	uint64_t found = LIMPET_NEVER;

	for (unsigned int i = 0; i < TIMERS; i++)
		if (timers[i].used && timers[i].due < found)
			found = timers[i].due;
	__atomic_store_n(&soonest, found, __ATOMIC_RELAXED);
}

static void fire(struct timer *timer, uint64_t now)
{
	const struct signal_info info = { .code = timer == &timers[ITIMER] ? SI_KERNEL : SI_TIMER,
					  .timer = (int)(timer - timers),
					  .overrun = &timer->overrun,
					  .value = timer->value };
	uint64_t passed = timer->period ? (now - timer->due) / timer->period : 0;

	timer->due = timer->period ? timer->due + (passed + 1) * timer->period : LIMPET_NEVER;
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
	if (likely(now < soonest))
		return;
	for (unsigned int i = 0; i < TIMERS; i++)
		if (timers[i].used && timers[i].due <= now)
			fire(&timers[i], now);
	soonest_find();
}

bool timers_due(void)
{
	uint64_t due = __atomic_load_n(&soonest, __ATOMIC_RELAXED);

	return unlikely(due != LIMPET_NEVER) && limpet_time() >= due;
}

/* Whether a thread would take the signal of a timer. */
static bool timer_meets(const struct timer *timer, const struct posix_thread *thread)
{
	return timer->used && timer->signal &&
	       (!timer->target || timer->target == posix_place(thread)) &&
	       signal_open(thread, timer->signal);
}

uint64_t timers_next(const struct posix_thread *thread)
{
	uint64_t next = LIMPET_NEVER;

	if (likely(soonest == LIMPET_NEVER))
		return next;
	for (unsigned int i = 0; i < TIMERS; i++)
		if (timers[i].due < next && timer_meets(&timers[i], thread))
			next = timers[i].due;
	return next;
}

/* Who waits already waits no longer than to the timer. */
static void waiters_tell(const struct timer *timer)
{
	for (unsigned int id = 0; id < POSIX_THREADS; id++)
		if (posix_threads[id].waiting && timer_meets(timer, &posix_threads[id]))
			thread_interrupt(&posix_threads[id]);
}

void timers_forget(const struct posix_thread *thread)
{
	for (unsigned int i = 0; i < TIMERS; i++)
		if (timers[i].target == posix_place(thread))
			timers[i].due = LIMPET_NEVER;
	soonest_find();
}

/* --- system calls */

/* The timer with an id of timer_create(), or NULL. */
static struct timer *timer_of(word id)
{
	return id && id < TIMERS && timers[id].used ? &timers[id] : NULL;
}

static long timer_new(const struct sigevent *event, word clock, struct timer *timer)
{
	*timer = (struct timer){
		.used = true, .clock = (uint8_t)clock, .signal = SIGALRM, .due = LIMPET_NEVER
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

	if (!clock_known(clock))
		return -EINVAL;
	posix_lock();
	for (unsigned int i = 1; i < TIMERS; i++) {
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
	uint64_t now = limpet_time();
	uint64_t left = timer->due == LIMPET_NEVER ? 0 : timer->due > now ? timer->due - now : 1;

	return (struct itimerspec){ time_of_ns(clock_ns(timer->period)),
				    time_of_ns(clock_ns(left)) };
}

static void timer_set(struct timer *timer, const struct itimerspec *time, bool absolute)
{
	timer->period = clock_ticks(time_ns(&time->it_interval));
	if (!time->it_value.tv_sec && !time->it_value.tv_nsec)
		timer->due = LIMPET_NEVER;
	else
		timer->due = absolute ? clock_deadline(timer->clock, &time->it_value)
				      : clock_after(&time->it_value);
	timer->overrun.count = 0;
	soonest_find();
	waiters_tell(timer);
}

long call_timer_settime(word id, word flags, word new, word old)
{
	struct timer *timer = timer_of(id);
	const struct itimerspec *time = (const struct itimerspec *)new;

	if (!timer || time_bad(&time->it_value) || time_bad(&time->it_interval))
		return -EINVAL;
	posix_lock();
	if (old)
		*(struct itimerspec *)old = time_left(timer);
	timer_set(timer, time, flags & TIMER_ABSTIME);
	posix_unlock();
	return 0;
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
	soonest_find();
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

	if (which != ITIMER_REAL)
		return -EINVAL;
	if (value)
		time = (struct itimerspec){
			{ value->it_interval.tv_sec, value->it_interval.tv_usec * 1000 },
			{ value->it_value.tv_sec, value->it_value.tv_usec * 1000 },
		};
	if (time_bad(&time.it_value) || time_bad(&time.it_interval))
		return -EINVAL;
	posix_lock();
	before = time_left(&timers[ITIMER]);
	timer_set(&timers[ITIMER], &time, false);
	posix_unlock();
	if (old)
		*(struct itimerval *)old = itimer_of(&before);
	return 0;
}

long call_getitimer(word which, word to)
{
	struct itimerspec time = time_left(&timers[ITIMER]);

	if (which != ITIMER_REAL)
		return -EINVAL;
	*(struct itimerval *)to = itimer_of(&time);
	return 0;
}

long call_alarm(word seconds)
{
	struct itimerval new = { { 0, 0 }, { (long)(unsigned int)seconds, 0 } }, old;

	call_setitimer(ITIMER_REAL, (word) & new, (word)&old);
	return old.it_value.tv_sec + (old.it_value.tv_usec ? 1 : 0);
}
