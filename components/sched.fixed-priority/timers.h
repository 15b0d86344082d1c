/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads that wait for a time: a list sorted by it, at most 63 long. Taking the first one, which
 * happens between the timer and the thread that it wakes, costs a few instructions; the walk is
 * made when a thread goes to sleep, where nobody waits for it.
 */
#ifndef SCHED_TIMERS_H
#define SCHED_TIMERS_H

#include <runtime/types.h>

struct timers {
	uint64_t due[LIMPET_THREADS_MAX]; /* due[0]: of no thread, never */
	uint8_t next[LIMPET_THREADS_MAX];
	unsigned int first; /* id, 0: none */
};

/* When the next thread is due; LIMPET_NEVER when none waits. */
static inline uint64_t timers_next(const struct timers *t)
{
	return t->due[t->first];
}

/* Takes the first thread off. There must be one. */
static inline unsigned int timers_pop(struct timers *t)
{
	unsigned int id = t->first;

	t->first = t->next[id];
	return id;
}

/* Adds a thread that is not in the list; threads with the same time keep their order. */
static inline void timers_insert(struct timers *t, unsigned int id, uint64_t due)
{
	unsigned int before = 0, at = t->first;

	t->due[id] = due;
	while (at && t->due[at] <= due) {
		before = at;
		at = t->next[at];
	}
	t->next[id] = (uint8_t)at;
	if (before)
		t->next[before] = (uint8_t)id;
	else
		t->first = id;
}

/* Removes a thread that is in the list. */
static inline void timers_remove(struct timers *t, unsigned int id)
{
	unsigned int before = 0;

	for (unsigned int at = t->first; at != id; at = t->next[at])
		before = at;
	if (before)
		t->next[before] = t->next[id];
	else
		t->first = t->next[id];
}

#endif
