/* SPDX-License-Identifier: GPL-2.0 */
/* Counters for tests: memory for records, of zeros. */
#ifndef TEST_STAT_ROOM_H
#define TEST_STAT_ROOM_H

#include <stdlib.h>

#include <client/device.h>

#define COMPONENTS_MAX 1024
#define THREADS_MAX 1024

/* Allocates the records and sets them to zero. Frees the memory of earlier records. */
static inline void stat_allocate(struct limpet_stat *stat, unsigned int cpus,
				 unsigned int components, unsigned int threads)
{
	free(stat->cpu);
	free(stat->component);
	free(stat->thread);
	*stat = (struct limpet_stat){
		.cpus = cpus,
		.components = components,
		.threads = threads,
		.cpu = calloc(cpus, sizeof(*stat->cpu)),
		.component = calloc(components, sizeof(*stat->component)),
		.thread = calloc(threads, sizeof(*stat->thread)),
	};
}

/* Copies the records. */
static inline void stat_copy(struct limpet_stat *to, const struct limpet_stat *from)
{
	stat_allocate(to, from->cpus, from->components, from->threads);
	memcpy(to->cpu, from->cpu, from->cpus * sizeof(*to->cpu));
	memcpy(to->component, from->component, from->components * sizeof(*to->component));
	memcpy(to->thread, from->thread, from->threads * sizeof(*to->thread));
}

#endif
