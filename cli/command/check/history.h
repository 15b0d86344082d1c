/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads the counters of a CPU's hardware repeatedly during a check: SMIs, NMIs, frequency, throttling by heat, idle
 * states, and which CPUs Linux uses. The readings have times, so that a change can be compared with the time of a job.
 */
#ifndef CLI_CHECK_HISTORY_H
#define CLI_CHECK_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#define HISTORY_MOMENTS 64 /* readings that are kept */
#define HISTORY_STATES 10  /* Linux's CPUIDLE_STATE_MAX */
#define HISTORY_NAME 32
#define HISTORY_CPUS 64

struct history_state {
	char name[HISTORY_NAME]; /* "C6" */
	long usage, latency_us;	 /* number of entries; time to leave it */
};

/* One reading. Numbers that Linux does not show are -1. */
struct history_moment {
	uint64_t ticks,
		done; /* time stamp counter before and after the reading, which an SMI can delay */
	int64_t smis, nmis;
	long transitions;	    /* number of frequency changes */
	long khz, khz_min, khz_max; /* current, lowest and highest frequency */
	unsigned int states;
	struct history_state state[HISTORY_STATES];
	char online[HISTORY_CPUS];  /* CPUs of Linux, as "0-3"; "": unknown */
	long hot_core, hot_package; /* how often heat throttled the core, and its package */
};

struct history {
	struct history_moment first; /* reading at the start of the check */
	struct history_moment moment[HISTORY_MOMENTS];
	uint64_t next; /* number of the next reading */
};

/* Differences between two readings. Counters that are unknown have not changed. */
struct history_change {
	int64_t smis, nmis;
	int64_t hot; /* number of times that heat throttled the core, or its package if that count rose more */
	bool frequency; /* the frequency changed */
	double slowest; /* highest possible ratio of two run times of the same code; 1: frequencies are unknown */
	long khz, khz_max;
	struct history_state
		state; /* the entered idle state that takes longest to leave; usage 0: no state */
	char before[HISTORY_CPUS],
		after[HISTORY_CPUS]; /* CPUs of Linux; equal unless they changed */
};

/* Reads the counters of CPU `cpu`, in Linux's numbers, from files below `root`, which is "" for the real root. */
void history_read(struct history *history, const char *root, unsigned int cpu);
/* Compares the last reading that ended before time `from` with the first one after time `to`. */
void history_compare(const struct history *history, uint64_t from, uint64_t to,
		     struct history_change *change);
/* Compares the first reading of the check with the last one. */
void history_whole(const struct history *history, struct history_change *change);
/* Returns whether the CPUs of Linux changed. */
bool history_cpus_changed(const struct history_change *change);

#endif
