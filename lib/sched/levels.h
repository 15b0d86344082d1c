/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A queue of threads with keys 0 to 255: a list for each, first in first out. The thread that runs
 * stays at the head of its list, so a preemption changes nothing here.
 */
#ifndef SCHED_LEVELS_H
#define SCHED_LEVELS_H

#include <runtime/types.h>

struct levels {
	uint64_t words;	   /* bit n: level[n] is not 0 */
	uint64_t level[4]; /* bit n of word w: key 64 w + n has threads */
	uint8_t head[256];
	uint8_t tail[256];
	uint8_t next[LIMPET_THREADS_MAX];
};

/* The thread that comes first; 0: there is none. Constant time. */
static inline unsigned int levels_top(const struct levels *l)
{
	unsigned int w;

	if (!l->words)
		return 0;
	w = (unsigned int)__builtin_ctzl(l->words);
	return l->head[w * 64 + (unsigned int)__builtin_ctzl(l->level[w])];
}

/* Constant time. */
static inline void levels_append(struct levels *l, unsigned int id, uint64_t key)
{
	unsigned int head = l->head[key];

	l->next[id] = 0;
	if (head)
		l->next[l->tail[key]] = (uint8_t)id;
	else
		l->head[key] = (uint8_t)id;
	l->tail[key] = (uint8_t)id;
	l->level[key / 64] |= 1ul << key % 64;
	l->words |= 1ul << key / 64;
}

/*
 * Removes a thread that is in the queue. Constant time for the head of its list, which is the usual
 * case; else linear in the threads before it.
 */
static inline void levels_remove(struct levels *l, unsigned int id, uint64_t key)
{
	unsigned int before = 0;

	for (unsigned int at = l->head[key]; at != id; at = l->next[at])
		before = at;
	if (before)
		l->next[before] = l->next[id];
	else
		l->head[key] = l->next[id];
	if (l->tail[key] == id)
		l->tail[key] = (uint8_t)before;
	if (l->head[key])
		return;
	l->level[key / 64] &= ~(1ul << key % 64);
	if (!l->level[key / 64])
		l->words &= ~(1ul << key / 64);
}

/* Whether others have the same key as the thread, which is in the queue. */
static inline bool levels_shared(const struct levels *l, unsigned int id, uint64_t key)
{
	return l->head[key] != id || l->tail[key] != id;
}

#endif
