/* SPDX-License-Identifier: GPL-2.0 */
/* Counters with random values, for tests of output. */
#ifndef TEST_STAT_RANDOM_H
#define TEST_STAT_RANDOM_H

#include "stat_room.h"
#include "test.h"

static inline void words_random(void *words, size_t size, uint64_t *seed)
{
	for (size_t i = 0; i < size / sizeof(uint64_t); i++)
		((uint64_t *)words)[i] = test_random(seed);
}

/* Makes the maximum number of records and fills them with random values. */
static inline void stat_random(struct limpet_stat *stat, uint64_t *seed)
{
	stat_allocate(stat, LIMPET_CPUS_MAX, COMPONENTS_MAX, THREADS_MAX);
	words_random(stat->cpu, stat->cpus * sizeof(*stat->cpu), seed);
	words_random(stat->component, stat->components * sizeof(*stat->component), seed);
	words_random(stat->thread, stat->threads * sizeof(*stat->thread), seed);
}

#endif
