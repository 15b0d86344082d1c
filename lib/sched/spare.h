/* SPDX-License-Identifier: BSD-2-Clause */
/* The start of threads: their first state, and the spare threads of each component. */
#ifndef SCHED_SPARE_H
#define SCHED_SPARE_H

#include <sched/sched.h>

/* Adds a spare thread to the free ones of its component. */
void spare_add(struct sched *sched, unsigned int id);
/* Removes a spare thread from the free ones of its component. */
void spare_remove(struct sched *sched, unsigned int id);
/* Resets all state of an earlier life of a thread. The thread is not ready yet. */
void thread_reset(struct sched *sched, unsigned int id);
/* Makes a thread that the kernel has started ready, or spare. */
void thread_begin(struct sched *sched, unsigned int id);

#endif
