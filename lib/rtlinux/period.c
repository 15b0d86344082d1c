// SPDX-License-Identifier: BSD-2-Clause
/* Implements periods, suspension, and signals between threads. */
#include "core.h"

#include <import/sched.h>

int pthread_make_periodic_np(pthread_t thread, hrtime_t start, hrtime_t period)
{
	INSIDE;

	if (period < 0)
		return EINVAL;
	if (!rtlinux_valid(thread))
		return ESRCH;
	thread->resume_time = start;
	thread->period = period;
	sched_resume_on((word)thread); /* a thread that waits for its release reads the new one */
	return 0;
}

int pthread_wait_np(void)
{
	INSIDE;
	const unsigned int how = WAIT_CANCEL | WAIT_WAKEUP | WAIT_PERIOD;
	int status;

	do
		status = rtlinux_wait(rtlinux_self(), rtlinux_released, HRTIME_INFINITY, how);
	while (status == ETIMEDOUT); /* the release time passed after the test */
	if (status == ECANCELED)
		pthread_exit(PTHREAD_CANCELED);
	return 0;
}

int pthread_suspend_np(pthread_t thread)
{
	INSIDE;

	if (!rtlinux_valid(thread))
		return ESRCH;
	rtlinux_signal(thread, RTL_SIGNAL_SUSPEND);
	if (thread == rtlinux_self())
		pthread_testcancel();
	return 0;
}

/* A wake-up of a thread that does not wait is lost, unless the thread is suspended and has not run since. */
static int suspend_revoke(pthread_t thread)
{
	__atomic_fetch_and(&thread->pending, ~(1ul << RTL_SIGNAL_SUSPEND), __ATOMIC_SEQ_CST);
	return 0;
}

int pthread_wakeup_np(pthread_t thread)
{
	INSIDE;

	if (!rtlinux_valid(thread))
		return ESRCH;
	if (thread->rtlinux_dormant)
		thread->rtlinux_dormant = 0;
	else if (!thread->rtlinux_object)
		return suspend_revoke(thread);
	rtlinux_signal(thread, RTL_SIGNAL_WAKEUP);
	return 0;
}

int rtlinux_mark_ready(pthread_t thread)
{
	INSIDE;

	if (!rtlinux_valid(thread))
		return ESRCH;
	suspend_revoke(thread);
	return pthread_wakeup_np(thread);
}

int pthread_kill(pthread_t thread, int signal)
{
	INSIDE;

	if (signal >= RTL_LINUX_MIN_SIGNAL && signal < RTL_LINUX_MAX_SIGNAL &&
	    thread == pthread_linux()) {
		rtl_global_pend_irq(signal - RTL_LINUX_MIN_SIGNAL);
		return 0;
	}
	if (!rtlinux_valid(thread))
		return ESRCH;
	if (signal < 0 || signal > RTL_MAX_SIGNAL)
		return EINVAL;
	if (signal == RTL_SIGNAL_WAKEUP)
		return pthread_wakeup_np(thread);
	if (signal)
		rtlinux_signal(thread, signal);
	return 0;
}

static int fails(int error)
{
	errno = error;
	return -1;
}

/*
 * Returns the interrupt line that sigaction() means, or NR_IRQS or more for a signal of threads. With SA_IRQ the signal
 * is the number of the line itself.
 */
static unsigned int line_of(int signal, const struct sigaction *action)
{
	if (action && action->sa_flags & SA_IRQ && signal >= 0 && signal < NR_IRQS)
		return (unsigned int)signal;
	return (unsigned int)signal - RTL_SIGIRQMIN;
}

int sigaction(int signal, const struct sigaction *action, struct sigaction *old)
{
	INSIDE;
	const unsigned int irq = line_of(signal, action);

	if (irq < NR_IRQS) {
		const int status = rtlinux_line_action(irq, signal, action, old);

		return status ? fails(-status) : 0;
	}
	if (signal < RTL_SIGUSR1 || signal > RTL_MAX_SIGNAL)
		return fails(EINVAL);
	if (old)
		*old = rtlinux_actions[signal];
	if (action) {
		rtlinux_actions[signal] = *action;
		rtlinux_actions[signal].owner = rtlinux_self();
	}
	return 0;
}

int pthread_sigmask(int how, const rtl_sigset_t *set, rtl_sigset_t *old)
{
	INSIDE;
	struct rtl_thread_struct *self = rtlinux_self();
	rtl_sigset_t bits;

	if (old)
		*old = self->blocked;
	if (!set)
		return EFAULT;
	bits = *set & ~RTLINUX_UNMASKABLE;
	if (how == SIG_BLOCK)
		bits |= self->blocked;
	else if (how == SIG_UNBLOCK)
		bits = self->blocked & ~bits;
	else if (how != SIG_SETMASK)
		return EINVAL;
	rtlinux_block(self, bits);
	return 0;
}

static bool never(void *object)
{
	(void)object;
	return false;
}

int sigsuspend(const rtl_sigset_t *mask)
{
	INSIDE;
	struct rtl_thread_struct *self = rtlinux_self();
	rtl_sigset_t before = self->blocked;
	int status;

	if (!mask)
		return fails(EFAULT);
	self->blocked = *mask & ~RTLINUX_UNMASKABLE;
	status = rtlinux_wait(self, never, HRTIME_INFINITY, WAIT_CANCEL | WAIT_SIGNAL);
	rtlinux_block(self, before);
	if (status == ECANCELED)
		pthread_exit(PTHREAD_CANCELED);
	return fails(EINTR);
}

int sigpending(rtl_sigset_t *set)
{
	if (!set)
		return fails(EFAULT);
	*set = rtlinux_self()->pending & ~RTLINUX_UNMASKABLE;
	return 0;
}
