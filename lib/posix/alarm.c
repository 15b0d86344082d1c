// SPDX-License-Identifier: BSD-2-Clause
/*
 * The thread that fires timers. It is a spare thread of the component, above all threads of the program, and is made
 * when the first timer is armed. All functions require posix_lock().
 */
#include <runtime/thread.h>
#include <runtime/time.h>

#include <import/sched.h>

#include "call.h"
#include "posix.h"
#include "timer.h"

static struct posix_thread *alarm;
static uint64_t planned; /* time stamp of the thread's next check */

static void alarm_main(void)
{
	for (;;) {
		uint64_t due;

		posix_lock();
		timers_fire(limpet_time());
		planned = due = posix_exiting ? 0 : timers_next();
		posix_unlock();
		if (!due)
			limpet_thread_exit(0);
		sched_block_until(due);
	}
}

struct posix_thread *helper_start(void (*main)(void))
{
	const uint32_t priority = limpet_info()->priority;
	const long id = sched_create((word)main, 0, priority);
	struct posix_thread *helper;

	if (id < 0)
		return NULL;
	sched_detach((word)id);
	sched_slice((word)id, 0); /* a new thread has the time slice of its creator */
	helper = &posix_threads[((unsigned int)id - posix_first) % POSIX_THREADS];
	helper->priority = (uint8_t)priority;
	clock_helper_begin(helper);
	return helper;
}

bool alarm_ready(void)
{
	if (alarm || posix_exiting)
		return true;
	alarm = helper_start(alarm_main);
	planned = LIMPET_NEVER;
	return alarm;
}

void alarm_set(uint64_t due)
{
	if (!alarm || due >= planned)
		return;
	planned = due;
	wake_later(alarm);
}

void alarm_end(void)
{
	if (alarm)
		wake_later(alarm);
}
