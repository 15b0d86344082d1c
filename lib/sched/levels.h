/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A queue of threads with keys 0 to 255. Each key has a FIFO list. The running thread stays at the head of its list, so
 * a preemption does not change the queue. All functions take constant time.
 */
#ifndef SCHED_LEVELS_H
#define SCHED_LEVELS_H

#include <sched/sched.h>

struct levels {
	uint64_t words;	   /* bit n: level[n] is not 0 */
	uint64_t level[4]; /* bit n of word w: key 64 w + n has threads */
	uint16_t head[256];
	uint16_t tail[256];
};

/* Returns the first thread, or 0 if the queue is empty. */
static inline unsigned int levels_top(const struct levels *levels)
{
	unsigned int w;

	if (!levels->words)
		return 0;
	w = (unsigned int)__builtin_ctzl(levels->words);
	return levels->head[w * 64 + (unsigned int)__builtin_ctzl(levels->level[w])];
}

/* Adds a thread after all threads with the same key. `before` of a head stays unset, because it is never read. */
static inline void levels_append(struct levels *levels, struct thread *thread, unsigned int id,
				 uint64_t key)
{
	thread[id].next = 0;
	if (levels->head[key]) {
		thread[id].before = levels->tail[key];
		thread[levels->tail[key]].next = (uint16_t)id;
	} else {
		levels->head[key] = (uint16_t)id;
	}
	levels->tail[key] = (uint16_t)id;
	levels->level[key / 64] |= 1ul << key % 64;
	levels->words |= 1ul << key / 64;
}

static inline void levels_remove_inner(struct levels *levels, struct thread *thread,
				       unsigned int id, uint64_t key)
{
	unsigned int next = thread[id].next, before = thread[id].before;

	thread[before].next = (uint16_t)next;
	if (next)
		thread[next].before = (uint16_t)before;
	else
		levels->tail[key] = (uint16_t)before;
}

/* Removes a thread that is in the queue. */
static inline void levels_remove(struct levels *levels, struct thread *thread, unsigned int id,
				 uint64_t key)
{
	if (unlikely(levels->head[key] != id)) {
		levels_remove_inner(levels, thread, id, key);
		return;
	}
	levels->head[key] = thread[id].next;
	if (levels->head[key])
		return;
	levels->level[key / 64] &= ~(1ul << key % 64);
	if (!levels->level[key / 64])
		levels->words &= ~(1ul << key / 64);
}

/* Returns whether other threads have the same key as this thread, which is in the queue. */
static inline bool levels_shared(const struct levels *levels, unsigned int id, uint64_t key)
{
	return levels->head[key] != id || levels->tail[key] != id;
}

#endif
