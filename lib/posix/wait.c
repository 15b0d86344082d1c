// SPDX-License-Identifier: BSD-2-Clause
/* How threads wait for each other, for a time and for signals. */
#include <runtime/time.h>
#include <sync/lock.h>

#include <import/sched.h>

#include "posix.h"
#include "signals.h"
#include "timer.h"

static struct lock lock;
static uint64_t woken, resumed; /* threads that posix_unlock() is to let run */

void posix_lock(void)
{
	lock_take(&lock);
}

/* The most important thread of a set that is not empty, taken off it. */
static unsigned int best_take(uint64_t *set)
{
	unsigned int best = (unsigned int)__builtin_ctzl(*set);

	for (uint64_t left = *set; left; left &= left - 1) {
		unsigned int id = (unsigned int)__builtin_ctzl(left);

		if (posix_threads[id].priority > posix_threads[best].priority)
			best = id;
	}
	*set &= ~(1ul << best);
	return best + posix_first;
}

void posix_unlock(void)
{
	uint64_t wake = woken, resume = resumed;

	woken = resumed = 0;
	lock_drop(&lock);
	while (resume)
		sched_resume(best_take(&resume));
	while (wake)
		sched_wake(best_take(&wake));
}

void thread_interrupt(struct posix_thread *thread)
{
	if (thread->waiting == WAITS)
		woken |= 1ul << posix_place(thread);
	else if (thread->waiting == WAITS_FOR_OWNER)
		resumed |= 1ul << posix_place(thread);
}

void thread_wake(struct posix_thread *thread)
{
	thread_interrupt(thread);
	thread->waiting = RUNS;
}

/* Another's token, or a wake-up that came late, makes it look again and wait on. */
static void thread_sleep(uint8_t waiting, uint64_t deadline, unsigned int owner)
{
	posix_unlock();
	if (waiting == WAITS)
		sched_block_until(deadline);
	else
		sched_suspend_for(owner, deadline);
	posix_lock();
}

long thread_wait(struct posix_thread *thread, uint64_t deadline, unsigned int owner)
{
	const uint8_t waiting = thread->waiting;

	for (;;) {
		uint64_t now = limpet_time(), next;
		long status = 0;

		timers_fire(now);
		if (posix_exiting)
			thread_end(thread, 0);
		if (thread->waiting == RUNS)
			return 0;
		if (signal_wanted(thread))
			status = -EINTR;
		else if (now >= deadline)
			status = -ETIMEDOUT;
		if (status) {
			thread->waiting = RUNS;
			return status;
		}
		next = timers_next(thread);
		thread_sleep(waiting, next < deadline ? next : deadline, owner);
		if (waiting == WAITS_FOR_OWNER) /* whatever ended it, its caller looks again */
			thread->waiting = RUNS;
	}
}
