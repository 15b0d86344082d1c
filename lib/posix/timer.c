// SPDX-License-Identifier: BSD-2-Clause
/* System calls for timers: POSIX.1-2017's timer_create() and others, setitimer(), and Linux's timerfd_create(2). */
#include <runtime/memory.h>
#include <runtime/time.h>

#include <asm/siginfo.h>
#include <asm/signal.h>
#include <linux/timerfd.h>

#include "call.h"
#include "clock.h"
#include "parts.h"
#include "ready.h"
#include "signals.h"
#include "timer.h"

#define TIMERS 64
#define ITIMER_LAST ITIMER_PROF /* setitimer() and alarm() use the first three timers */
#define SIGNAL_MAX 64
#define LOOK_MIN_NS 100000 /* time between two reads of a clock of processor time */
/* A timer with a shorter period would take all time of the program. It fires this often, and has overruns. */
#define PERIOD_MIN_NS 20000

struct timer {
	bool used;
	bool absolute;	/* the timer uses the real time; setting that clock moves its expiration */
	uint8_t target; /* thread, 0: the program */
	int signal;	/* 0: no signal */
	word clock;	/* clock of timer_create() */
	word base; /* clock that it counts; setting the real time does not change relative times */
	word value;
	uint64_t at, period; /* ns of its clock; at 0: not armed */
	uint64_t due;	     /* time stamp of the next check; LIMPET_NEVER: not armed */
	struct signal_overrun overrun;
	const struct file *file; /* open file of a timerfd, otherwise NULL */
	uint64_t expired;	 /* timerfd: expirations since the last read() */
	bool cancelable;	 /* timerfd: TFD_TIMER_CANCEL_ON_SET */
	bool canceled;		 /* timerfd: read() returns ECANCELED */
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

/*
 * Computes the time stamp of the next check of a timer. A clock of processor time can be behind then, if threads did
 * not run.
 */
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
	if (now < PERIOD_MIN_NS && timer->period && timer->period < PERIOD_MIN_NS)
		now = PERIOD_MIN_NS;
	timer->due = clock_after_ns(now);
}

/* Moves an expired timer to its next expiration. Returns the number of expirations until now. */
static uint64_t timer_forward(struct timer *timer, uint64_t now)
{
	const uint64_t count = timer->period ? (now - timer->at) / timer->period + 1 : 1;

	timer->at = timer->period ? timer->at + count * timer->period : 0;
	return count;
}

static void fire(struct timer *timer, uint64_t now)
{
	const struct signal_info info = { .code = timer <= &timers[ITIMER_LAST] ? SI_KERNEL
										: SI_TIMER,
					  .timer = (int)(timer - timers),
					  .overrun = &timer->overrun,
					  .value = timer->value };
	const uint64_t count = timer_forward(timer, now);

	if (timer->file) {
		timer->expired += count;
		file_changed(timer->file, POLLIN);
		return;
	}
	if (!timer->signal)
		return;
	if (timer->overrun.pending) {
		timer->overrun.count += count;
		return;
	}
	timer->overrun.count = count - 1;
	timer->overrun.pending = signal_post(timer->target ? &posix_threads[timer->target] : NULL,
					     timer->signal, &info) == 0 &&
				 info.code == SI_TIMER;
}

void timer_catch_up(struct signal_overrun *overrun)
{
	struct timer *timer =
		(struct timer *)((uint8_t *)overrun - offsetof(struct timer, overrun));
	uint64_t now;

	if (timer->period && timer->at && clock_now(timer->base, &now) && now >= timer->at)
		overrun->count += timer_forward(timer, now);
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
	for (unsigned int i = 0; i < TIMERS; i++) {
		if (timers[i].used && timers[i].cancelable) {
			timers[i].canceled = true;
			file_changed(timers[i].file, POLLIN);
		}
		if (timers[i].used && timers[i].absolute && timers[i].at) {
			timer_plan(&timers[i]);
			alarm_set(timers[i].due);
		}
	}
}

/* --- system calls */

/* Returns the timer with an id of timer_create(), or NULL. */
static struct timer *timer_of(word id)
{
	return id > ITIMER_LAST && id < TIMERS && timers[id].used && !timers[id].file ? &timers[id]
										      : NULL;
}

static struct timer *timer_unused(void)
{
	for (unsigned int i = ITIMER_LAST + 1; i < TIMERS; i++)
		if (!timers[i].used)
			return &timers[i];
	return NULL;
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
	return timer->signal < 0 || timer->signal > SIGNAL_MAX ? -EINVAL : 0;
}

long call_timer_create(word clock, word event, word to)
{
	struct timer timer, *unused;
	long status = -EAGAIN;
	uint64_t now;

	clock = clock_own(clock);
	if (!clock_settable(clock) || !clock_now(clock, &now))
		return -EINVAL;
	posix_lock();
	unused = timer_unused();
	if (unused)
		status = timer_new((const struct sigevent *)event, clock, &timer);
	if (!status) {
		if (!event)
			timer.value = (word)(unused - timers);
		*unused = timer;
		*(int *)to = (int)(unused - timers);
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

/* Sets a timer. Returns 0, or -EAGAIN without a spare thread that can fire it. */
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

static void timer_drop(struct timer *timer)
{
	timer->used = false;
	timer->due = LIMPET_NEVER;
}

long call_timer_delete(word id)
{
	struct timer *timer = timer_of(id);

	if (!timer)
		return -EINVAL;
	posix_lock();
	timer_drop(timer);
	signals_timer_deleted(&timer->overrun);
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

/* --- timers with a descriptor */

long call_timerfd_create(word clock, word flags)
{
	struct timer *timer;
	struct file *file;
	long status;

	if (flags & ~(word)(TFD_CLOEXEC | TFD_NONBLOCK) ||
	    (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC && clock != CLOCK_BOOTTIME))
		return -EINVAL;
	file_lock();
	posix_lock();
	timer = timer_unused();
	status = timer ? file_open_new(FILE_TIMER, O_RDWR | flags, &file) : -EMFILE;
	if (status >= 0) {
		*timer = (struct timer){ .used = true,
					 .clock = clock,
					 .base = clock,
					 .due = LIMPET_NEVER,
					 .file = file };
		file->timer = timer;
	}
	posix_unlock();
	file_unlock();
	return status;
}

/*
 * Returns the open file of a timer, in use until file_put(). If it fails, returns NULL and sets *status to the error.
 */
static struct file *timer_file(word descriptor, long *status)
{
	struct file *file = file_get(descriptor);

	*status = file ? -EINVAL : -EBADF;
	if (!file || file->timer)
		return file;
	file_put(file);
	return NULL;
}

long call_timerfd_settime(word descriptor, word flags, word new, word old)
{
	const struct itimerspec *time = (const struct itimerspec *)new;
	struct timer *timer;
	struct file *file;
	long status;

	if (flags & ~(word)(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET) ||
	    time_bad(&time->it_value) || time_bad(&time->it_interval))
		return -EINVAL;
	file = timer_file(descriptor, &status);
	if (!file)
		return status;
	timer = file->timer;
	posix_lock();
	if (old)
		*(struct itimerspec *)old = time_left(timer);
	status = timer_set(timer, time, flags & TFD_TIMER_ABSTIME);
	timer->expired = 0;
	timer->canceled = false;
	timer->cancelable = timer->absolute && flags & TFD_TIMER_CANCEL_ON_SET;
	posix_unlock();
	file_put(file);
	return status;
}

long call_timerfd_gettime(word descriptor, word to)
{
	long status;
	struct file *file = timer_file(descriptor, &status);

	if (!file)
		return status;
	posix_lock();
	*(struct itimerspec *)to = time_left(file->timer);
	posix_unlock();
	file_put(file);
	return 0;
}

uint32_t timer_events(const struct file *file)
{
	return file->timer->expired || file->timer->canceled ? POLLIN : 0;
}

long timer_read(struct file *file, const struct parts *parts)
{
	struct timer *timer = file->timer;
	long status = 0;

	if (parts_size(parts) < sizeof(timer->expired))
		return -EINVAL;
	posix_lock();
	while (!status && !timer_events(file))
		status = file_wait(file);
	if (!status) {
		status = timer->canceled ? -ECANCELED : (long)sizeof(timer->expired);
		if (!timer->canceled)
			parts_copy(parts, 0, &timer->expired, sizeof(timer->expired), true);
		timer->canceled = false;
		timer->expired = 0;
	}
	posix_unlock();
	return status;
}

void timer_close(struct file *file)
{
	posix_lock();
	timer_drop(file->timer);
	posix_unlock();
}
