// SPDX-License-Identifier: BSD-2-Clause
/*
 * Implements the lock of threads, signals and timers. Wakes threads when the lock is free. A thread that computes is
 * diverted: the kernel continues it at posix_interrupt in entry.S.
 */
#include <runtime/divert.h>
#include <sync/lock.h>

#include <import/sched.h>

#include "posix.h"

static struct lock lock;
static uint64_t woken, resumed; /* threads that posix_unlock() will wake */

void posix_lock(void)
{
	lock_take(&lock);
}

/* Removes the thread of highest priority from a set that is not empty. Returns its id. */
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

void thread_divert(struct posix_thread *thread)
{
	if (!thread->alive || thread->diverted || thread == posix_self())
		return;
	thread->diverted = true;
	if (!limpet_thread_divert(posix_id(thread), &thread->interrupted, posix_interrupt))
		thread->diverted = false; /* it checks when it returns from another component */
}

void thread_interrupt(struct posix_thread *thread)
{
	if (thread->waiting == WAITS)
		woken |= 1ul << posix_place(thread);
	else if (thread->waiting == WAITS_FOR_OWNER)
		resumed |= 1ul << posix_place(thread);
}

void thread_look(struct posix_thread *thread)
{
	if (thread->waiting)
		thread_interrupt(thread);
	else
		thread_divert(thread);
}

void wake_later(const struct posix_thread *thread)
{
	woken |= 1ul << posix_place(thread);
}

void thread_wake(struct posix_thread *thread)
{
	thread_interrupt(thread);
	thread->waiting = RUNS;
}
