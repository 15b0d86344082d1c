/* SPDX-License-Identifier: GPL-2.0 */
/* Functions that the threads of lib/rtlinux call, and that have no effect in the tests. */
#ifndef RTLINUX_TEST_THREADS_H
#define RTLINUX_TEST_THREADS_H

#include <rtlinux/core.h>

#include <import/sched.h>

#include "expect.h"

/* The address of the entry only counts as a number, because the code of the test does not run there. */
void rtlinux_interrupt(void);
void rtlinux_interrupt(void)
{
}

long sched_priority(word thread, word priority)
{
	(void)thread;
	(void)priority;
	return LIMPET_OK;
}

long sched_resume_on(word object)
{
	(void)object;
	return LIMPET_OK;
}

long sched_detach(word thread)
{
	(void)thread;
	return LIMPET_OK;
}

long sched_yield(void)
{
	return LIMPET_OK;
}

long rtlinux_refuse(const char *function, const char *reason, long error)
{
	(void)function;
	(void)reason;
	return error;
}

void rtl_global_pend_irq(int irq)
{
	(void)irq;
}

int rtlinux_line_action(unsigned int irq, int signal, const struct sigaction *action,
			struct sigaction *old)
{
	(void)irq;
	(void)signal;
	(void)action;
	(void)old;
	EXPECT(false);
	return -EBUSY;
}

#endif
