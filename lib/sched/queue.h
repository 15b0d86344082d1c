/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A queue of threads by key, FIFO among equal keys. It is a tree that caches its first thread. The summary of the tree
 * is the union of the threads' groups.
 */
#ifndef SCHED_QUEUE_H
#define SCHED_QUEUE_H

#include <sched/sched.h>

static inline void queue_init(struct tree *q, struct sched *s)
{
	tree_init(q, &s->thread[0].ready, true);
}

/* Adds a thread that is not in the queue. Calls no function if the queue is empty. */
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

/* Returns the first thread, or 0 if the queue is empty. */
static inline unsigned int queue_top(const struct tree *q)
{
	return ID_OF(q->first);
}

/* Returns the first thread in one of the groups, or 0. */
static inline unsigned int queue_top_with(const struct tree *q, uint32_t groups)
{
	return ID_OF(tree_first_with(q, groups));
}

/* Returns the next thread in one of the groups after `id`, which is in the queue, or 0. */
static inline unsigned int queue_next_with(const struct tree *q, unsigned int id, uint32_t groups)
{
	return ID_OF(tree_next_with(q, LINK(id), groups));
}

/* Returns the thread after `id`, which is in the queue, or 0 if `id` is the last one. */
static inline unsigned int queue_next(const struct tree *q, unsigned int id)
{
	return ID_OF(tree_next(q, LINK(id)));
}

#endif
