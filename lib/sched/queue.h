/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A queue of threads by key, first in first out among equals: a tree. The first thread is at hand.
 * The summary of the tree is the union of the threads' groups.
 */
#ifndef SCHED_QUEUE_H
#define SCHED_QUEUE_H

#include <sched/sched.h>

static inline void queue_init(struct tree *q, struct sched *s)
{
	tree_init(q, &s->thread[0].ready, true);
}

/* Adds a thread that is not in the queue. Nothing is called when it is the only one. */
static inline void queue_insert(struct tree *q, struct thread *thread, unsigned int id,
				uint32_t groups)
{
	struct thread *t = &thread[id];

	if (unlikely(q->root)) {
		tree_insert(q, LINK(id), t->key, groups);
		return;
	}
	t->ready = (struct node){ .key = t->key, .own = groups, .sum = groups, .height = 1 };
	q->root = q->first = (uint16_t)LINK(id);
}

/* Removes a thread that is in the queue. */
static inline void queue_remove(struct tree *q, struct thread *thread, unsigned int id)
{
	if (unlikely(thread[id].ready.height > 1 || thread[id].ready.parent)) {
		tree_remove(q, LINK(id));
		return;
	}
	thread[id].ready.height = 0;
	q->root = q->first = 0;
}

/* The thread that comes first; 0: there is none. */
static inline unsigned int queue_top(const struct tree *q)
{
	return ID_OF(q->first);
}

/* The first thread that is in one of the groups; 0: there is none. */
static inline unsigned int queue_top_with(const struct tree *q, uint32_t groups)
{
	return ID_OF(tree_first_with(q, groups));
}

/* The same behind a thread that is in the queue. */
static inline unsigned int queue_next_with(const struct tree *q, unsigned int id, uint32_t groups)
{
	return ID_OF(tree_next_with(q, LINK(id), groups));
}

/* The thread behind one that is in the queue; 0: it is the last one. */
static inline unsigned int queue_next(const struct tree *q, unsigned int id)
{
	return ID_OF(tree_next(q, LINK(id)));
}

#endif
