/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCHED_LEND_H
#define SCHED_LEND_H

#include <sched/sched.h>

/* Lends the key of a suspended thread to `owner`. */
void lend_begin(struct sched *sched, unsigned int id, unsigned int owner);
/* Lends the key of a thread to `to`, if it lends to `from`. Call lenders_moved() after the last thread. */
void lender_move(struct sched *sched, unsigned int id, unsigned int from, unsigned int to);
/* Updates both threads after lender_move(). */
void lenders_moved(struct sched *sched, unsigned int from, unsigned int to);

#endif
