// SPDX-License-Identifier: BSD-2-Clause
#include "core.h"

#include <runtime/thread.h>
#include <runtime/time.h>

#include <sync/lock.h>

#include <import/sched.h>

#define LEVEL_LINUX 1 /* priority of the Linux context in the scheduler */

struct rtl_thread_struct rtlinux_records[RTLINUX_THREADS];
struct sigaction rtlinux_actions[RTL_MAX_SIGNAL + 1];
static struct lock order; /* protects the priorities in the scheduler */
void (*rtlinux_queues_leave)(struct rtl_thread_struct *self);
void (*rtlinux_notices_take)(void);
void (*rtlinux_thread_begin)(void);
static uint64_t waiting; /* bit N: the thread of record N waits for an object */
_Static_assert(RTLINUX_THREADS <= 64, "a bit of `waiting` for each thread");

unsigned int rtlinux_id(const struct rtl_thread_struct *thread)
{
	return (unsigned int)(thread - rtlinux_records) + limpet_info()->first_thread;
}

unsigned int rtlinux_threads(void)
{
	return RTLINUX_THREADS;
}

bool rtlinux_valid(const struct rtl_thread_struct *thread)
{
	return thread >= rtlinux_records && thread < rtlinux_records + RTLINUX_THREADS &&
	       thread->magic == RTL_THREAD_MAGIC;
}

pthread_t pthread_self(void)
{
	return rtlinux_self();
}

pthread_t pthread_linux(void)
{
	return rtlinux_record(limpet_info()->thread);
}

int *rtlinux_errno(void)
{
	return &rtlinux_self()->errno_val;
}

/* Returns the effective priority of a thread: its own, or the highest ceiling of its mutexes. */
static int priority_of(const struct rtl_thread_struct *thread)
{
	int own = thread->sched_param.sched_priority;

	return own > thread->rtlinux_ceiling ? own : thread->rtlinux_ceiling;
}

/* Returns the highest priority of a thread below `limit`, or -1 if no thread has a lower one. */
static int priority_below(long limit)
{
	int best = -1;

	for (unsigned int i = 0; i < RTLINUX_THREADS; i++) {
		const struct rtl_thread_struct *thread = &rtlinux_records[i];

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
	unsigned int level = limpet_info()->priority; /* level of a thread that masks the others */
	long priority = (long)RTLINUX_PRIORITY_MAX + 1;

	lock_take(&order);
	level_set(pthread_linux(), LEVEL_LINUX);
	while ((priority = priority_below(priority)) >= 0) {
		if (level > LEVEL_LINUX + 1)
			level--;
		for (unsigned int i = 0; i < RTLINUX_THREADS; i++)
			if (rtlinux_valid(&rtlinux_records[i]) &&
			    &rtlinux_records[i] != pthread_linux() &&
			    priority_of(&rtlinux_records[i]) == priority)
				level_set(&rtlinux_records[i], level);
	}
	lock_drop(&order);
}

void rtlinux_wait_for(struct rtl_thread_struct *thread, const void *object)
{
	uint64_t place = 1ull << (thread - rtlinux_records);

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

		if (__atomic_load_n(&rtlinux_records[i].rtlinux_object, __ATOMIC_SEQ_CST) == object)
			set |= 1ull << i;
	}
	return set;
}

bool rtlinux_awaited(const void *object)
{
	return waiters_of(object);
}

/* Returns the thread with the highest priority in a set that is not empty. */
static unsigned int highest(uint64_t set)
{
	unsigned int best = (unsigned int)__builtin_ctzll(set);

	for (; set; set &= set - 1) {
		unsigned int i = (unsigned int)__builtin_ctzll(set);

		if (rtlinux_records[i].rtlinux_level > rtlinux_records[best].rtlinux_level)
			best = i;
	}
	return best;
}

void rtlinux_wake(const void *object)
{
	uint64_t set = waiters_of(object);

	while (set) {
		unsigned int best = highest(set);

		set &= ~(1ull << best);
		sched_resume_on((word)&rtlinux_records[best]);
	}
}

static rtl_sigset_t bit(int signal)
{
	return 1ul << signal;
}

/* Clears a signal. Returns whether it was pending. */
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
		unsigned char depth;

		if (blocked & bit(signal) || !signal_take(self, signal) || handler == SIG_DFL ||
		    handler == SIG_IGN)
			continue;
		self->blocked |= bit(signal) | rtlinux_actions[signal].sa_mask;
		depth = rtlinux_module_begin(self);
		handler(signal);
		rtlinux_module_end(self, depth);
		rtlinux_block(self, blocked);
		ran = true;
	}
	return ran;
}

static bool never(void *object)
{
	(void)object;
	return false;
}

/*
 * Waits if the caller is suspended. The wait is visible before the signal is taken, so that a wake-up between the two
 * is not lost.
 */
static int suspended_wait(struct rtl_thread_struct *self, unsigned int how)
{
	const void *before = self->rtlinux_object;
	int status = 0;

	if (!(self->pending & bit(RTL_SIGNAL_SUSPEND)))
		return 0;
	self->rtlinux_waits++; /* the outer wait can miss a wake-up */
	rtlinux_wait_for(self, self);
	if (signal_take(self, RTL_SIGNAL_SUSPEND))
		status = rtlinux_wait(self, never, HRTIME_INFINITY,
				      (how & WAIT_CANCEL) | WAIT_WAKEUP);
	rtlinux_wait_for(self, before);
	return status;
}

void rtlinux_cleanup_push(struct rtl_cleanup *cleanup)
{
	struct rtl_thread_struct *self = rtlinux_self();

	cleanup->next = self->rtlinux_cleanup;
	self->rtlinux_cleanup = cleanup;
}

void rtlinux_cleanup_pop(struct rtl_cleanup *cleanup, int execute)
{
	rtlinux_self()->rtlinux_cleanup = cleanup->next;
	if (execute)
		cleanup->function(cleanup->argument);
}

void pthread_exit(void *value)
{
	struct rtl_thread_struct *self = rtlinux_self();

	self->rtlinux_inside = 1;
	barrier();
	self->rtlinux_cancel_off = 1;
	while (self->rtlinux_cleanup) {
		const unsigned char depth = rtlinux_module_begin(self);

		rtlinux_cleanup_pop(self->rtlinux_cleanup, 1);
		rtlinux_module_end(self, depth);
	}
	rtlinux_wait_for(self, NULL);
	if (rtlinux_queues_leave)
		rtlinux_queues_leave(self);
	__atomic_store_n(&self->rtlinux_ended, 1, __ATOMIC_SEQ_CST);
	rtlinux_wake(&self->rtlinux_ended);
	if (self->rtlinux_detached)
		self->magic = 0;
	limpet_thread_exit((word)value);
}

int rtlinux_signals(unsigned int how)
{
	struct rtl_thread_struct *self = rtlinux_self();

	self->rtlinux_look = 0;
	barrier();
	if (rtlinux_notices_take)
		rtlinux_notices_take();
	if (self->rtlinux_deleted) {
		self->rtlinux_cleanup = NULL;
		self->rtlinux_cancel_off = 1;
		pthread_exit(PTHREAD_CANCELED);
	}
	if (!self->rtlinux_cancel_off && self->pending & bit(RTL_SIGNAL_CANCEL) &&
	    (how & WAIT_CANCEL || (self->rtlinux_cancel_async && !self->rtlinux_masked)))
		return ECANCELED;
	if (suspended_wait(self, how) == ECANCELED)
		return ECANCELED;
	return handlers_run(self) && how & WAIT_SIGNAL ? EINTR : 0;
}

/* Preserves the module's errno, because the thread can be between a failed call and its read of errno. */
void rtlinux_look(struct rtl_thread_struct *self)
{
	while (self->rtlinux_look && !self->rtlinux_inside && !self->rtlinux_masked) {
		const int error = self->errno_val;

		self->rtlinux_inside = 1;
		barrier();
		if (rtlinux_signals(0) == ECANCELED)
			pthread_exit(PTHREAD_CANCELED);
		self->errno_val = error;
		barrier();
		self->rtlinux_inside = 0;
		barrier();
	}
}

/* Takes a wake-up by pthread_wakeup_np(). */
static bool wakeup_take(struct rtl_thread_struct *self)
{
	return unlikely(self->pending & bit(RTL_SIGNAL_WAKEUP)) &&
	       signal_take(self, RTL_SIGNAL_WAKEUP);
}

/*
 * Tests once for the end of the wait. Returns the status that ends it, or -1. A wake-up counts for this look only, also
 * if it does not end the wait.
 */
static int wait_look(struct rtl_thread_struct *self, void *object, rtlinux_try *try, hrtime_t until,
		     unsigned int how)
{
	const bool woken = wakeup_take(self);
	int status;

	if (try(object))
		return 0;
	status = rtlinux_signals(how);
	if (status)
		return status;
	if (how & WAIT_WAKEUP && woken)
		return 0;
	return until != HRTIME_INFINITY && gethrtime() >= until ? ETIMEDOUT : -1;
}

int rtlinux_wait(void *object, rtlinux_try *try, hrtime_t until, unsigned int how)
{
	struct rtl_thread_struct *self = rtlinux_self();
	const void *before = self->rtlinux_object; /* a handler can wait while the thread waits */
	unsigned int waits;
	int status;

	if (!before)
		wakeup_take(self);	/* drops a wake-up from before the wait */
	rtlinux_wait_for(self, object); /* inner waits restore it */
	for (;;) {
		uint64_t since = limpet_time();

		if (how & WAIT_PERIOD)
			until = self->resume_time;
		waits = self->rtlinux_waits;
		status = wait_look(self, object, try, until, how);
		if (status >= 0)
			break;
		if (waits != self->rtlinux_waits)
			continue; /* a handler has waited and can have consumed a wake-up for this object */
		self->rtlinux_waits++;
		sched_suspend_on((word)self, since, 0, rtlinux_stamp(until));
	}
	rtlinux_wait_for(self, before);
	return status;
}

/* Starts the period whose release time has passed. Skips missed releases, so that the phase does not change. */
bool rtlinux_released(void *object)
{
	struct rtl_thread_struct *self = object;
	hrtime_t now = gethrtime();

	if (now < self->resume_time)
		return false;
	if (self->period) {
		const hrtime_t periods = (now - self->resume_time) / self->period + 1;

		self->resume_time =
			rtlinux_sum(self->resume_time, rtlinux_product(periods, self->period));
	} else {
		self->resume_time = HRTIME_INFINITY;
	}
	return true;
}

unsigned long rtlinux_masked(void)
{
	return rtlinux_self()->rtlinux_masked;
}

void rtlinux_mask_set(unsigned long masked)
{
	INSIDE;

	inside->rtlinux_masked = masked != 0;
	rtlinux_order();
}

unsigned long rtlinux_mask(void)
{
	INSIDE;
	unsigned long before = rtlinux_masked();

	if (!before)
		rtlinux_mask_set(1);
	return before;
}
