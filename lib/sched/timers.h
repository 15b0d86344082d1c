/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Timers: a tree by due time. Each thread has three, which are found by the thread's id.
 *
 * Taking the first timer happens between the timer event and the dispatch of the thread that waits
 * for it, so it is a few instructions: which one comes next was found before, and the node of the
 * first stays in the tree, as `popped`, until the thread goes to sleep again or another timer is
 * taken. Until then it is the leftmost node.
 */
#ifndef SCHED_TIMERS_H
#define SCHED_TIMERS_H

#include <sched/tree.h>

struct timers {
	uint64_t next; /* when the first one is due; LIMPET_NEVER: there is none */
	uint64_t second_due;
	uint32_t least; /* no rank of a timer that is set is less */
	union {
		uint64_t order; /* shifted by 16 when one is popped: each takes the place before it */
		struct {	/* from the lowest bits on */
			uint16_t popped; /* taken, and still in the tree; 0: none */
			uint16_t first;	 /* 0: none */
			uint16_t second; /* which comes behind the first, unless one is popped */
		};
	};
	uint32_t asked; /* the rank that timers_find() was asked for last; 0: timers have changed */
	uint64_t answer;  /* what it said */
	struct tree tree; /* with the least of ranks */
};

/* No timer is set. `node` is node 0 of all that will be. */
void timers_init(struct timers *t, struct node *node);
/*
 * Sets a timer that is not set; those with the same time keep their order. The rank says to
 * timers_before() for whom it comes.
 */
void timers_insert(struct timers *t, unsigned int link, uint64_t due, uint32_t rank);
/* The node of the timer that was taken last leaves the tree. */
void timers_clear(struct timers *t);
/* The same as the functions below, for a timer that is set, or when there may be one. */
void timers_end(struct timers *t, unsigned int link);
void timers_renumber(struct timers *t, unsigned int link, uint32_t rank);
uint64_t timers_find(struct timers *t, uint32_t rank);

/* When the first one is due; LIMPET_NEVER when there is none. */
static inline uint64_t timers_next(const struct timers *t)
{
	return t->next;
}

/* Whether a timer is set. */
static inline bool timers_pending(const struct timers *t, unsigned int link)
{
	return tree_has(&t->tree, link) && t->popped != link;
}

/* Takes the first one off, and returns its link. There must be one. */
static inline unsigned int timers_pop(struct timers *t)
{
	if (unlikely(t->popped))
		timers_clear(t);
	t->order >>= 16;
	t->next = t->second_due;
	t->asked = 0;
	return t->popped;
}

/* Ends one, if it is set. */
static inline void timers_remove(struct timers *t, unsigned int link)
{
	if (timers_pending(t, link))
		timers_end(t, link);
}

/* Gives one another rank, if it is set. */
static inline void timers_rerank(struct timers *t, unsigned int link, uint32_t rank)
{
	if (timers_pending(t, link))
		timers_renumber(t, link, rank);
}

/* When the first one with a rank less than this one is due; LIMPET_NEVER: there is none. */
static inline uint64_t timers_before(struct timers *t, uint32_t rank)
{
	if (likely(t->least >= rank))
		return LIMPET_NEVER;
	return t->asked == rank ? t->answer : timers_find(t, rank);
}

#endif
