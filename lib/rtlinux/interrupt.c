// SPDX-License-Identifier: BSD-2-Clause
/* Makes computing threads act on their signals. Another thread diverts them to rtlinux_interrupt() in interrupt.S. */
#include "core.h"

#include <runtime/divert.h>

#include <sync/lock.h>

#include <import/sched.h>

static struct lock lock; /* protects rtlinux_diverted and rtlinux_interrupted of all threads */

__attribute__((visibility("hidden"))) void rtlinux_interrupt(void);
word rtlinux_interrupted(void);

/* A thread in the library, or with masked interrupts, acts when it leaves this section. */
static bool acts_later(const struct rtl_thread_struct *thread)
{
	return thread->rtlinux_inside || thread->rtlinux_masked;
}

void rtlinux_look_soon(struct rtl_thread_struct *thread)
{
	thread->rtlinux_look = 1;
	if (thread == rtlinux_self() || acts_later(thread))
		return;
	lock_take(&lock);
	if (!thread->rtlinux_diverted && !acts_later(thread)) {
		thread->rtlinux_diverted = 1;
		if (!limpet_thread_divert(rtlinux_id(thread), &thread->rtlinux_interrupted,
					  rtlinux_interrupt))
			thread->rtlinux_diverted = 0;
	}
	lock_drop(&lock);
}

void rtlinux_signal(pthread_t thread, int signal)
{
	__atomic_fetch_or(&thread->pending, 1ul << signal, __ATOMIC_SEQ_CST);
	if (signal != RTL_SIGNAL_NULL)
		rtlinux_look_soon(thread);
	sched_resume_on((word)thread);
}

/*
 * Called by interrupt.S in a thread that was diverted. Returns the address at which it continues. The thread can have
 * entered the library before it was diverted. It then acts when it leaves the library.
 */
word rtlinux_interrupted(void)
{
	struct rtl_thread_struct *self = rtlinux_self();
	const word address = self->rtlinux_interrupted;

	barrier();
	self->rtlinux_diverted = 0; /* from here on the thread can be diverted again */
	barrier();
	rtlinux_look(self);
	return address;
}
