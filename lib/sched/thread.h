/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCHED_THREAD_H
#define SCHED_THREAD_H

#include <sched/enter.h>

/*
 * The thread that a caller names: one of its own component, or itself by 0. NONE: it may not name
 * that one. The caller is inside; `badge` says of which component it is.
 */
static inline unsigned int thread_named(const struct sched *sched, word badge, word thread,
					unsigned int caller)
{
	if (!thread)
		return caller;
	if (thread_standing(sched, thread) != thread)
		return NONE;
	return sched->thread[thread].component + 1ul == badge ? (unsigned int)thread : NONE;
}

#endif
