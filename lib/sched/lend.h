/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCHED_LEND_H
#define SCHED_LEND_H

#include <sched/sched.h>

/* A thread's own key, or what others lend it, has changed: it gets its place, and lends it on. */
void key_update(struct sched *s, unsigned int id);
/* The same for a thread that waits for nobody and is in no queue yet. */
void key_renew(struct sched *s, unsigned int id);

#endif
