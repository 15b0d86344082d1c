/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A queue of threads sorted by key, first in first out among equals. Whoever comes first is at
 * hand; to add one takes a walk past those before it, at most 62.
 */
#ifndef SCHED_QUEUE_H
#define SCHED_QUEUE_H

#include <sched/sched.h>

struct queue {
	uint8_t next[LIMPET_THREADS_MAX];
	unsigned int first; /* 0: none */
};

static inline void queue_insert(struct queue *q, const struct thread *thread, unsigned int id)
{
	unsigned int before = 0, at = q->first;

	while (at && thread[at].key <= thread[id].key) {
		before = at;
		at = q->next[at];
	}
	q->next[id] = (uint8_t)at;
	if (before)
		q->next[before] = (uint8_t)id;
	else
		q->first = id;
}

/* Removes a thread that is in the queue. */
static inline void queue_remove(struct queue *q, unsigned int id)
{
	unsigned int before = 0;

	for (unsigned int at = q->first; at != id; at = q->next[at])
		before = at;
	if (before)
		q->next[before] = q->next[id];
	else
		q->first = q->next[id];
}

#endif
