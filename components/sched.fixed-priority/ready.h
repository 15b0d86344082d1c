/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads that can run: 256 levels, first in first out in each. The thread that runs stays at the
 * head of its level, so a preemption changes nothing here. Thread ids are 1 to 63; 0 is none.
 */
#ifndef SCHED_READY_H
#define SCHED_READY_H

#include <runtime/types.h>

#define NONE 0

struct ready {
	uint64_t words;	   /* bit n: level[n] is not 0 */
	uint64_t level[4]; /* bit n of word w: level 64 w + n has threads */
	uint8_t head[256];
	uint8_t tail[256];
	uint8_t next[LIMPET_THREADS_MAX];
};

static inline unsigned int bit_top(uint64_t bits)
{
	return 63 ^ (unsigned int)__builtin_clzl(bits); /* one bsr */
}

/* The thread that should run: head of the highest level; NONE when all wait. Constant time. */
static inline unsigned int ready_top(const struct ready *r)
{
	unsigned int w;

	if (!r->words)
		return NONE;
	w = bit_top(r->words);
	return r->head[w * 64 + bit_top(r->level[w])];
}

/* Constant time. */
static inline void ready_append(struct ready *r, unsigned int id, unsigned int level)
{
	unsigned int head = r->head[level];

	r->next[id] = NONE;
	if (head)
		r->next[r->tail[level]] = (uint8_t)id;
	else
		r->head[level] = (uint8_t)id;
	r->tail[level] = (uint8_t)id;
	r->level[level / 64] |= 1ul << level % 64;
	r->words |= 1ul << level / 64;
}

/*
 * Removes a thread that is in the queue. Constant time for the head of its level, which is the
 * usual case; else linear in the threads before it.
 */
static inline void ready_remove(struct ready *r, unsigned int id, unsigned int level)
{
	unsigned int before = NONE;

	for (unsigned int at = r->head[level]; at != id; at = r->next[at])
		before = at;
	if (before)
		r->next[before] = r->next[id];
	else
		r->head[level] = r->next[id];
	if (r->tail[level] == id)
		r->tail[level] = (uint8_t)before;
	if (r->head[level])
		return;
	r->level[level / 64] &= ~(1ul << level % 64);
	if (!r->level[level / 64])
		r->words &= ~(1ul << level / 64);
}

#endif
