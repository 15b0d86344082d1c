/* SPDX-License-Identifier: BSD-2-Clause */
/* Objects of a simulated scheduler. A wait is that of sched_suspend_for(), and a wake-up does nothing. */
#ifndef TEST_SCHED_OBJECTS_H
#define TEST_SCHED_OBJECTS_H

#include <import/sched.h>

long sched_suspend_on(word object, word since, word owner, word deadline)
{
	(void)object;
	(void)since;
	return sched_suspend_for(owner, deadline);
}

long sched_resume_on(word object)
{
	(void)object;
	return LIMPET_OK;
}

long sched_resume_all(word object)
{
	(void)object;
	return LIMPET_OK;
}

#endif
