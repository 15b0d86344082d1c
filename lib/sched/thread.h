/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCHED_THREAD_H
#define SCHED_THREAD_H

#include <sched/enter.h>

/*
 * Returns the thread that a caller names: a thread of its component, or itself for 0. Returns NONE for other threads.
 * The caller has entered, and `badge` identifies its component.
 */
static inline unsigned int thread_named(const struct sched *sched, word badge, word thread,
					unsigned int caller)
{
	if (!thread)
		return caller;
	if (thread_proxy(sched, thread) != thread)
		return NONE;
	return sched->thread[thread].component + 1ul == badge ? (unsigned int)thread : NONE;
}

#endif
