/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Timers in a tree by due time. Each thread has three timers, which are found by the thread's id.
 *
 * Popping the first timer takes only a few instructions, because it is on the path from the timer event to the dispatch
 * of the waiting thread. The next timer is known in advance. The node of the popped timer stays in the tree, as the
 * leftmost node, until a thread goes to sleep or another timer is popped.
 */
#ifndef SCHED_TIMERS_H
#define SCHED_TIMERS_H

#include <sched/tree.h>

struct timers {
	uint64_t next; /* due time of the first timer; LIMPET_NEVER: no timer is set */
	uint64_t second_due;
	uint32_t min; /* minimum rank of all timers in the tree */
	union {
		uint64_t order; /* a pop shifts it right by 16 bits, which moves each link forward */
		struct {	/* from the lowest bits */
			uint16_t popped; /* popped, but still in the tree; 0: no node */
			uint16_t first;	 /* 0: none */
			uint16_t second; /* the timer after the first; unused while one is popped */
		};
	};
	uint32_t asked;	  /* argument of the last timers_find(); 0: timers have changed since */
	uint64_t answer;  /* result of that call */
	struct tree tree; /* its summary is the minimum of ranks */
};

/* Initialises an empty set of timers. `node` is node 0 of all their nodes. */
void timers_init(struct timers *timers, struct node *node);
/*
 * Sets an unset timer. Timers with the same due time are FIFO. `rank` is the number that timers_before() compares.
 * O(log n).
 */
void timers_insert(struct timers *timers, unsigned int link, uint64_t due, uint32_t rank);
/* Removes the node of the popped timer from the tree. There must be a popped timer. O(log n). */
void timers_clear(struct timers *timers);
/*
 * The slow parts of timers_remove(), timers_rerank() and timers_before(). For the first two the timer must be set.
 * O(log n).
 */
void timers_end(struct timers *timers, unsigned int link);
void timers_renumber(struct timers *timers, unsigned int link, uint32_t rank);
uint64_t timers_find(struct timers *timers, uint32_t rank);

/* Returns the first timer of the smallest rank of those that are due at `now`. There must be one. O(log n). */
unsigned int timers_best(struct timers *timers, uint64_t now);

/* Returns the rank of a timer that is set. */
static inline uint32_t timers_rank(const struct timers *timers, unsigned int link)
{
	return tree_node(&timers->tree, link)->own;
}

/* Returns the due time of the first timer, or LIMPET_NEVER if no timer is set. */
static inline uint64_t timers_next(const struct timers *timers)
{
	return timers->next;
}

/* Returns whether a timer is set. */
static inline bool timers_pending(const struct timers *timers, unsigned int link)
{
	return tree_has(&timers->tree, link) && timers->popped != link;
}

/* Pops the first timer and returns its link. There must be a timer. */
static inline unsigned int timers_pop(struct timers *timers)
{
	if (unlikely(timers->popped))
		timers_clear(timers);
	timers->order >>= 16;
	timers->next = timers->second_due;
	timers->asked = 0;
	return timers->popped;
}

/* Cancels a timer if it is set. */
static inline void timers_remove(struct timers *timers, unsigned int link)
{
	if (timers_pending(timers, link))
		timers_end(timers, link);
}

/* Changes the rank of a timer if it is set. */
static inline void timers_rerank(struct timers *timers, unsigned int link, uint32_t rank)
{
	if (timers_pending(timers, link))
		timers_renumber(timers, link, rank);
}

/* Returns the due time of the first timer with a smaller rank, or LIMPET_NEVER. O(log n), or O(1) if cached. */
static inline uint64_t timers_before(struct timers *timers, uint32_t rank)
{
	if (likely(timers->min >= rank))
		return LIMPET_NEVER;
	return timers->asked == rank ? timers->answer : timers_find(timers, rank);
}

#endif
