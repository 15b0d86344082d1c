/* SPDX-License-Identifier: BSD-2-Clause */
/* A set of thread ids. Zero-initialised sets are empty. All functions take constant time. */
#ifndef SCHED_IDS_H
#define SCHED_IDS_H

#include <runtime/types.h>

#define IDS_WORDS ((LIMPET_THREADS_MAX + 63) / 64)

_Static_assert(IDS_WORDS <= 64, "one word marks the words that have members");

struct ids {
	uint64_t words; /* bit n: word[n] is not 0 */
	uint64_t word[IDS_WORDS];
};

/* Adds an id to the set. */
static inline void ids_add(struct ids *set, unsigned int id)
{
	set->word[id / 64] |= 1ul << id % 64;
	set->words |= 1ul << id / 64;
}

/* Removes an id from the set, if it is in it. */
static inline void ids_remove(struct ids *set, unsigned int id)
{
	set->word[id / 64] &= ~(1ul << id % 64);
	if (!set->word[id / 64])
		set->words &= ~(1ul << id / 64);
}

/* Removes the smallest id from the set and returns it. The set must not be empty. */
static inline unsigned int ids_take(struct ids *set)
{
	unsigned int w = (unsigned int)__builtin_ctzl(set->words);
	unsigned int id = w * 64 + (unsigned int)__builtin_ctzl(set->word[w]);

	set->word[w] &= set->word[w] - 1;
	if (!set->word[w])
		set->words &= set->words - 1;
	return id;
}

#endif
