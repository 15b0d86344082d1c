/* SPDX-License-Identifier: GPL-2.0 */
/* Reads the counters that Linux has of one CPU: interrupts, threads, and a hypervisor's time. */
#ifndef CLI_CHECK_MACHINE_H
#define CLI_CHECK_MACHINE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define MACHINE_INTERRUPTS 128
#define MACHINE_TASKS 256
#define MACHINE_NAME 48
#define MACHINE_LINE 8192 /* enough for a line of /proc/interrupts on many CPUs */

struct machine_interrupt {
	char name[MACHINE_NAME]; /* "24 (eth0)", "LOC (Local timer interrupts)" */
	uint64_t count;
};

/* A thread of Linux with a higher priority than the host thread, or of SCHED_DEADLINE. */
struct machine_task {
	int id; /* Linux's thread id */
	char name[MACHINE_NAME];
	const char *policy; /* "SCHED_FIFO" */
	int priority;
	uint64_t ran_ns;
};

struct machine {
	uint64_t ticks, ns; /* time stamp counter, and CLOCK_MONOTONIC_RAW at the same time */
	unsigned int interrupts, tasks;
	struct machine_interrupt interrupt[MACHINE_INTERRUPTS];
	struct machine_task task[MACHINE_TASKS];
	int64_t steal_ms; /* time that a hypervisor took; -1: unknown */
	int64_t throttle_us; /* time that throttling takes from real-time threads in each period; 0: throttling is off */
	int64_t throttle_period_us;
};

/* Opens a file below `root`. Returns NULL if it cannot be read. */
FILE *machine_open(const char *root, const char *path);

/* Returns the position of a CPU's column in the head of /proc/interrupts, or -1. Changes the text. */
int machine_column(char *head, unsigned int cpu);

/*
 * Reads the counters of CPU `cpu`, in Linux's numbers, from files below `root`, which is "" for the real root. Includes
 * Linux's threads with a SCHED_FIFO or SCHED_RR priority above `priority`, and those of SCHED_DEADLINE. Values that
 * cannot be read stay unset.
 */
void machine_read(struct machine *machine, const char *root, unsigned int cpu, int priority);
/* Returns the SCHED_FIFO priority of the thread of process `pid` that last ran on `cpu`, or 0 without such a thread. */
int machine_priority(const char *root, int pid, unsigned int cpu);

/* Returns the most frequent interrupt between two readings, and sets its count. NULL: there was no interrupt. */
const struct machine_interrupt *machine_busiest(const struct machine *before,
						const struct machine *after, uint64_t *count);
/* Returns the thread that ran longest between two readings, and sets its run time. NULL: no thread ran. */
const struct machine_task *machine_longest(const struct machine *before,
					   const struct machine *after, uint64_t *ns);

#endif
