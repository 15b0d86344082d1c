/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What waits for a time: a list sorted by it. Taking the first one, which happens between the timer
 * and the thread that it wakes, costs a few instructions; the walk is made when a thread goes to
 * sleep, where nobody waits for it.
 */
#ifndef SCHED_TIMERS_H
#define SCHED_TIMERS_H

#include <runtime/types.h>

/* Timers by number; a thread's wait has that of its id. */
#define TIMER_ALARM LIMPET_THREADS_MAX	      /* + id: of a part */
#define TIMER_POLICY (2 * LIMPET_THREADS_MAX) /* + id: the policy's, of a thread or, 0, of all */
#define TIMERS (3 * LIMPET_THREADS_MAX)

struct timers {
	uint64_t due[TIMERS]; /* due[0]: of no thread, never */
	uint8_t next[TIMERS];
	unsigned int first; /* 0: none */
};

/* When the next one is due; LIMPET_NEVER when there is none. */
static inline uint64_t timers_next(const struct timers *t)
{
	return t->due[t->first];
}

/* Takes the first one off. There must be one. */
static inline unsigned int timers_pop(struct timers *t)
{
	unsigned int at = t->first;

	t->first = t->next[at];
	return at;
}

/* Adds one that is not in the list; those with the same time keep their order. */
static inline void timers_insert(struct timers *t, unsigned int number, uint64_t due)
{
	unsigned int before = 0, at = t->first;

	t->due[number] = due;
	while (at && t->due[at] <= due) {
		before = at;
		at = t->next[at];
	}
	t->next[number] = (uint8_t)at;
	if (before)
		t->next[before] = (uint8_t)number;
	else
		t->first = number;
}

/* Removes one, if it is in the list. */
static inline void timers_remove(struct timers *t, unsigned int number)
{
	unsigned int before = 0, at = t->first;

	for (; at && at != number; at = t->next[at])
		before = at;
	if (!at)
		return;
	if (before)
		t->next[before] = t->next[number];
	else
		t->first = t->next[number];
}

#endif
