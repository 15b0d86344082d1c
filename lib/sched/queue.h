/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A queue of threads by key, FIFO among equal keys. It is a tree that caches its first thread. The summary of the tree
 * is the union of the threads' groups.
 */
#ifndef SCHED_QUEUE_H
#define SCHED_QUEUE_H

#include <sched/sched.h>

static inline void queue_init(struct tree *queue, struct sched *sched)
{
	tree_init(queue, &sched->thread[0].ready, true);
}

/* Adds a thread that is not in the queue. Calls no function if the queue is empty. */
static inline void queue_insert(struct tree *queue, struct thread *thread, unsigned int id,
				uint32_t groups)
{
	struct thread *self = &thread[id];

	if (unlikely(queue->root)) {
		tree_insert(queue, LINK(id), self->key, groups);
		return;
	}
	self->ready = (struct node){ .key = self->key, .own = groups, .sum = groups, .height = 1 };
	queue->root = queue->first = (uint16_t)LINK(id);
}

/* Removes a thread that is in the queue. */
static inline void queue_remove(struct tree *queue, struct thread *thread, unsigned int id)
{
	if (unlikely(thread[id].ready.height > 1 || thread[id].ready.parent)) {
		tree_remove(queue, LINK(id));
		return;
	}
	thread[id].ready.height = 0;
	queue->root = queue->first = 0;
}

/* Returns the first thread, or 0 if the queue is empty. */
static inline unsigned int queue_top(const struct tree *queue)
{
	return ID_OF(queue->first);
}

/* Returns the first thread in one of the groups, or 0. */
static inline unsigned int queue_top_with(const struct tree *queue, uint32_t groups)
{
	return ID_OF(tree_first_with(queue, groups));
}

/* Returns the next thread in one of the groups after `id`, which is in the queue, or 0. */
static inline unsigned int queue_next_with(const struct tree *queue, unsigned int id,
					   uint32_t groups)
{
	return ID_OF(tree_next_with(queue, LINK(id), groups));
}

/* Returns the thread after `id`, which is in the queue, or 0 if `id` is the last one. */
static inline unsigned int queue_next(const struct tree *queue, unsigned int id)
{
	return ID_OF(tree_next(queue, LINK(id)));
}

#endif
