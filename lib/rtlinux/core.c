// SPDX-License-Identifier: BSD-2-Clause
#include "core.h"

#include <runtime/time.h>

#include <sync/lock.h>

#include <import/sched.h>

#define LEVEL_LINUX 1 /* priority of the Linux context in the scheduler */

static struct rtl_thread_struct records[RTLINUX_THREADS];
static struct lock order; /* of priorities */
void (*rtlinux_queues_leave)(struct rtl_thread_struct *self);
void (*rtlinux_notices_take)(void);
static uint64_t waiting; /* bit N: the thread of record N waits for an object */
_Static_assert(RTLINUX_THREADS <= 64, "a bit of `waiting` for each thread");

unsigned int rtlinux_id(const struct rtl_thread_struct *thread)
{
	return (unsigned int)(thread - records) + limpet_info()->first_thread;
}

struct rtl_thread_struct *rtlinux_record(unsigned int id)
{
	return &records[(id - limpet_info()->first_thread) % RTLINUX_THREADS];
}

unsigned int rtlinux_threads(void)
{
	return RTLINUX_THREADS;
}

bool rtlinux_valid(const struct rtl_thread_struct *thread)
{
	return thread >= records && thread < records + RTLINUX_THREADS &&
	       thread->magic == RTL_THREAD_MAGIC;
}

pthread_t pthread_self(void)
{
	return rtlinux_record(limpet_thread_id());
}

pthread_t pthread_linux(void)
{
	return rtlinux_record(limpet_info()->thread);
}

int *rtlinux_errno(void)
{
	return &pthread_self()->errno_val;
}

/* Returns the priority that counts: the thread's own, or the greatest ceiling of its mutexes. */
static int priority_of(const struct rtl_thread_struct *thread)
{
	int own = thread->sched_param.sched_priority;

	return own > thread->rtlinux_ceiling ? own : thread->rtlinux_ceiling;
}

/* Returns the next smaller priority that a thread has, below `limit`; -1: there is none. */
static int priority_below(long limit)
{
	int best = -1;

	for (unsigned int i = 0; i < RTLINUX_THREADS; i++) {
		const struct rtl_thread_struct *thread = &records[i];

		if (rtlinux_valid(thread) && thread != pthread_linux() &&
		    priority_of(thread) < limit && priority_of(thread) > best)
			best = priority_of(thread);
	}
	return best;
}

static void level_set(struct rtl_thread_struct *thread, unsigned int level)
{
	if (thread->rtlinux_masked)
		level = limpet_info()->priority;
	if (thread->rtlinux_level == level)
		return;
	thread->rtlinux_level = (unsigned char)level;
	sched_priority(rtlinux_id(thread), level);
}

void rtlinux_order(void)
{
	unsigned int level = limpet_info()->priority; /* of a thread that masks the others */
	long priority = (long)RTLINUX_PRIORITY_MAX + 1;

	lock_take(&order);
	level_set(pthread_linux(), LEVEL_LINUX);
	while ((priority = priority_below(priority)) >= 0) {
		if (level > LEVEL_LINUX + 1)
			level--;
		for (unsigned int i = 0; i < RTLINUX_THREADS; i++)
			if (rtlinux_valid(&records[i]) && &records[i] != pthread_linux() &&
			    priority_of(&records[i]) == priority)
				level_set(&records[i], level);
	}
	lock_drop(&order);
}

void rtlinux_wait_for(struct rtl_thread_struct *thread, const void *object)
{
	uint64_t place = 1ull << (thread - records);

	__atomic_store_n(&thread->rtlinux_object, object, __ATOMIC_SEQ_CST);
	if (object)
		__atomic_fetch_or(&waiting, place, __ATOMIC_SEQ_CST);
	else
		__atomic_fetch_and(&waiting, ~place, __ATOMIC_SEQ_CST);
}

/* Returns the set of threads that wait for an object, by their places. */
static uint64_t waiters_of(const void *object)
{
	uint64_t set = 0;

	for (uint64_t left = __atomic_load_n(&waiting, __ATOMIC_SEQ_CST); left; left &= left - 1) {
		unsigned int i = (unsigned int)__builtin_ctzll(left);

		if (__atomic_load_n(&records[i].rtlinux_object, __ATOMIC_SEQ_CST) == object)
			set |= 1ull << i;
	}
	return set;
}

/* Returns the most urgent thread of a set that is not empty. */
static unsigned int most_urgent(uint64_t set)
{
	unsigned int best = (unsigned int)__builtin_ctzll(set);

	for (; set; set &= set - 1) {
		unsigned int i = (unsigned int)__builtin_ctzll(set);

		if (records[i].rtlinux_level > records[best].rtlinux_level)
			best = i;
	}
	return best;
}

void rtlinux_wake(const void *object)
{
	uint64_t set = waiters_of(object);

	while (set) {
		unsigned int best = most_urgent(set);

		set &= ~(1ull << best);
		sched_resume_on((word)&records[best]);
	}
}

static rtl_sigset_t bit(int signal)
{
	return 1ul << signal;
}

void rtlinux_signal(pthread_t thread, int signal)
{
	__atomic_fetch_or(&thread->pending, bit(signal), __ATOMIC_SEQ_CST);
	sched_resume_on((word)thread);
}

/* Takes a signal that is pending. */
static bool signal_take(struct rtl_thread_struct *self, int signal)
{
	return __atomic_fetch_and(&self->pending, ~bit(signal), __ATOMIC_SEQ_CST) & bit(signal);
}

/* Runs the handlers of the pending signals that are not blocked. Returns whether one ran. */
static bool handlers_run(struct rtl_thread_struct *self)
{
	bool ran = false;

	for (int signal = RTL_SIGUSR1; signal <= RTL_MAX_SIGNAL; signal++) {
		rtl_sigset_t blocked = self->blocked;
		void (*handler)(int) = rtlinux_actions[signal].sa_handler;

		if (blocked & bit(signal) || !signal_take(self, signal) || handler == SIG_DFL ||
		    handler == SIG_IGN)
			continue;
		self->blocked |= bit(signal) | rtlinux_actions[signal].sa_mask;
		handler(signal);
		self->blocked = blocked;
		ran = true;
	}
	return ran;
}

static bool never(void *object)
{
	(void)object;
	return false;
}

int rtlinux_signals(unsigned int how)
{
	struct rtl_thread_struct *self = pthread_self();
	int status = 0;

	rtlinux_timers_fire(self);
	if (rtlinux_notices_take)
		rtlinux_notices_take();
	if (self->rtlinux_deleted) {
		self->rtlinux_cleanup = NULL;
		self->rtlinux_cancel_off = 1;
		pthread_exit(PTHREAD_CANCELED);
	}
	if (!self->rtlinux_cancel_off && self->pending & bit(RTL_SIGNAL_CANCEL) &&
	    (how & WAIT_CANCEL || self->rtlinux_cancel_async))
		return ECANCELED;
	if (signal_take(self, RTL_SIGNAL_SUSPEND))
		status = rtlinux_wait(self, never, HRTIME_INFINITY,
				      (how & WAIT_CANCEL) | WAIT_WAKEUP);
	if (status == ECANCELED)
		return status;
	return handlers_run(self) && how & WAIT_SIGNAL ? EINTR : 0;
}

/* One look: a status that ends the wait, or -1. */
static int wait_look(void *object, rtlinux_try *try, hrtime_t until, unsigned int how)
{
	int status;

	if (try(object))
		return 0;
	status = rtlinux_signals(how);
	if (status)
		return status;
	if (how & WAIT_WAKEUP && signal_take(pthread_self(), RTL_SIGNAL_WAKEUP))
		return 0;
	return until != HRTIME_INFINITY && gethrtime() >= until ? ETIMEDOUT : -1;
}

int rtlinux_wait(void *object, rtlinux_try *try, hrtime_t until, unsigned int how)
{
	struct rtl_thread_struct *self = pthread_self();
	const void *before = self->rtlinux_object; /* a handler can wait while the thread waits */
	unsigned int waits;
	hrtime_t timer;
	int status;

	for (;;) {
		uint64_t since = limpet_time();

		if (how & WAIT_PERIOD)
			until = self->resume_time;
		rtlinux_wait_for(self, object);
		waits = self->rtlinux_waits;
		status = wait_look(object, try, until, how);
		if (status >= 0)
			break;
		if (waits != self->rtlinux_waits)
			continue; /* it has waited meanwhile, and can have used up a wake-up for this object */
		rtlinux_wait_for(self, object);
		self->rtlinux_waits++;
		timer = rtlinux_timers_next(self);
		sched_suspend_on((word)self, since, 0,
				 rtlinux_stamp(timer < until ? timer : until));
	}
	rtlinux_wait_for(self, before);
	return status;
}

unsigned long rtlinux_masked(void)
{
	return pthread_self()->rtlinux_masked;
}

void rtlinux_mask_set(unsigned long masked)
{
	pthread_self()->rtlinux_masked = masked != 0;
	rtlinux_order();
}

unsigned long rtlinux_mask(void)
{
	unsigned long before = rtlinux_masked();

	if (!before)
		rtlinux_mask_set(1);
	return before;
}
