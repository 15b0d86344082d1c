/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCHED_LEND_H
#define SCHED_LEND_H

#include <sched/sched.h>

/* A thread's own key, or what others lend it, has changed: it gets its place, and lends it on. */
void key_update(struct sched *sched, unsigned int id);
/* The same for a thread that waits for nobody and is in no queue yet. */
void key_renew(struct sched *sched, unsigned int id);

/* A thread that is suspended lends its key to another one. */
void lend_begin(struct sched *sched, unsigned int id, unsigned int owner);
/* A lender of thread `from`, if it is one, lends to thread `to`; when all do that, lenders_moved(). */
void lender_move(struct sched *sched, unsigned int id, unsigned int from, unsigned int to);
void lenders_moved(struct sched *sched, unsigned int from, unsigned int to);

#endif
