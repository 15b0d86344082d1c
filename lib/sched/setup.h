/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCHED_SETUP_H
#define SCHED_SETUP_H

#include <sched/sched.h>

/* Resets all state of an earlier life of a thread. The thread is not ready yet. */
void thread_reset(struct sched *sched, unsigned int id);
/* A thread that the kernel has started is ready, or spare. */
void thread_begin(struct sched *sched, unsigned int id);
/* The scheduler's thread begins: time is its own from now on. */
void sched_begin(struct sched *sched, const struct limpet_info *info);
/* Whether events may switch an idle CPU to their threads. */
void urgency_set(struct sched *sched, bool urgent);
/* The numbers of an argument "THREAD US US ..."; false: it is there, and not like that. */
bool numbers_read(const char *text, uint64_t *number, unsigned int count);
/* One line about an argument that makes no sense; returns LIMPET_ERANGE. */
long setup_refuse(const char *name, unsigned int index, const char *why);

#endif
