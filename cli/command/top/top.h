/* SPDX-License-Identifier: GPL-2.0 */
/* The current activity of a system: the difference of two snapshots, as `limpet top` shows it. */
#ifndef CLI_TOP_H
#define CLI_TOP_H

#include <stdio.h>

#include <cli/common/snapshot.h>

/* Rates are per second. */
struct top_cpu {
	unsigned int cpu, linux_cpu;
	double percent; /* part of the CPU that components had */
	double invocations, events, timers, calls, faults;
};

struct top_component {
	unsigned int cpu, index, restarts;
	const char *name; /* index in the newer snapshot's image */
	double invocations;
	uint64_t inside, faults;
	bool stopped; /* it cannot be invoked */
};

struct top_thread {
	unsigned int cpu, id, urgency, priority, depth; /* priority as snapshot_priority() */
	const char *name, *inside, *state;
	double percent, dispatches;
	uint64_t misses, missed; /* number in total, and since the older snapshot */
};

struct top {
	const struct snapshot *now;
	double seconds; /* time between the snapshots */
	unsigned int cpus, components, threads;
	struct top_cpu cpu[LIMPET_CPUS_MAX];
	struct top_component *component; /* memory that top_take() makes and makes larger */
	struct top_thread *thread;
	unsigned int component_capacity, thread_capacity;
};

enum top_sort {
	TOP_CPU,	 /* threads by their part of the CPU; components as invocations */
	TOP_INVOCATIONS, /* components by that; threads as CPU */
	TOP_MISSES,	 /* threads */
	TOP_DISPATCHES,	 /* threads */
	TOP_RESTARTS,	 /* components */
	TOP_NAME,	 /* both */
	TOP_SORTS
};

/*
 * The first returns the name of a sort key, or NULL after the last one. The second returns the key of a name, or
 * TOP_SORTS if the name is unknown.
 */
const char *top_sort_word(unsigned int sort);
enum top_sort top_sort_of(const char *word);

/*
 * Computes the changes between two snapshots of a system, and sorts them. If `before` is of another system or of no
 * system, counts everything since the start of the system of `now`. The result points into `now`. `top` is zero, or the
 * result of the last call. Without memory it has no components and threads.
 */
void top_take(struct top *top, const struct snapshot *before, const struct snapshot *now,
	      enum top_sort sort);
void top_print(FILE *out, const struct top *top, enum top_sort sort);
/* Prints an object on one line. */
void top_print_json(FILE *out, const struct top *top);

#endif
