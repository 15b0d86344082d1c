/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of the import `sched` that lib/sync calls, in a test with the real scheduler. */
#ifndef SCHED_CALLS_H
#define SCHED_CALLS_H

#include <export/sched.h>
#include <import/sched.h>

#include "fake.h"

long sched_suspend_for(word owner, word deadline)
{
	return sched_serve_suspend_for(BADGE, owner, deadline);
}

long sched_suspend_on(word object, word since, word owner, word deadline)
{
	return sched_serve_suspend_on(BADGE, object, since, owner, deadline);
}

long sched_resume_on(word object)
{
	return sched_serve_resume_on(BADGE, object);
}

long sched_resume_all(word object)
{
	return sched_serve_resume_all(BADGE, object);
}

long sched_resume(word thread)
{
	return sched_serve_resume(BADGE, thread);
}

long sched_resume_best(word threads, word first)
{
	return sched_serve_resume_best(BADGE, threads, first);
}

long sched_priority(word thread, word priority)
{
	return sched_serve_priority(BADGE, thread, priority);
}

#endif
