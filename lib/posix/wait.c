// SPDX-License-Identifier: BSD-2-Clause
/* Makes threads wait for each other, for a time and for signals. */
#include <runtime/time.h>

#include <import/sched.h>

#include "posix.h"
#include "signals.h"

/* Suspends the thread. Can return early after an old or late wake-up. The caller then checks again, and waits again. */
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
		uint64_t now = limpet_time();
		long status = 0;

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
		thread_sleep(waiting, deadline, owner);
		if (waiting == WAITS_FOR_OWNER) /* the caller checks again after each return */
			thread->waiting = RUNS;
	}
}
