/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCHED_SETUP_H
#define SCHED_SETUP_H

#include <sched/sched.h>

/* Starts the scheduler on its own thread, which takes over the CPU's timer. */
void sched_begin(struct sched *sched, const struct limpet_info *info);
/* Sets whether events may switch an idle CPU to their threads. */
void urgency_set(struct sched *sched, bool urgent);

#endif
