/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCHED_SETUP_H
#define SCHED_SETUP_H

#include <sched/sched.h>

/* Resets all state of an earlier life of a thread. The thread is not ready yet. */
void thread_reset(struct sched *sched, unsigned int id);
/* Makes a thread that the kernel has started ready, or spare. */
void thread_begin(struct sched *sched, unsigned int id);
/* Starts the scheduler on its own thread, which takes over the CPU's timer. */
void sched_begin(struct sched *sched, const struct limpet_info *info);
/* Sets whether events may switch an idle CPU to their threads. */
void urgency_set(struct sched *sched, bool urgent);
/* Reads the `count` numbers of an argument "THREAD US US ...". Returns false if the text has another form. */
bool numbers_read(const char *text, uint64_t *number, unsigned int count);
/* Prints why an argument is refused. Returns LIMPET_ERANGE. */
long setup_refuse(const char *name, unsigned int index, const char *why);

#endif
