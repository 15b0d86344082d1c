/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCHED_LEND_H
#define SCHED_LEND_H

#include <sched/sched.h>

/* Updates `owner` after a thread began to lend to it; NONE: it lends to no thread. */
void key_lent(struct sched *sched, unsigned int id, unsigned int owner);
/* Updates both threads after threads that lent to `from` began to lend to `to`. */
void lenders_moved(struct sched *sched, unsigned int from, unsigned int to);

#endif
