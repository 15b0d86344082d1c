/* SPDX-License-Identifier: GPL-2.0 */
/* What Linux and the processor have done on one CPU so far, as far as Linux shows it to root. */
#ifndef CLI_CHECK_MACHINE_H
#define CLI_CHECK_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#define MACHINE_INTERRUPTS 128
#define MACHINE_TASKS 256
#define MACHINE_NAME 48

struct machine_interrupt {
	char name[MACHINE_NAME]; /* "24 (eth0)", "LOC (Local timer interrupts)" */
	uint64_t count;
};

/* A thread of Linux that is more urgent than the host thread, or belongs to the scheduling class above. */
struct machine_task {
	int id; /* Linux's thread id */
	char name[MACHINE_NAME];
	const char *policy; /* "SCHED_FIFO" */
	int priority;
	uint64_t ran_ns;
};

struct machine {
	uint64_t ticks,
		ns; /* the time stamp counter, and Linux's raw monotonic clock at the same moment */
	unsigned int interrupts, tasks;
	struct machine_interrupt interrupt[MACHINE_INTERRUPTS];
	struct machine_task task[MACHINE_TASKS];
	int64_t smis;	     /* the processor's counter of SMIs; -1: it has none that Linux shows */
	int64_t steal_ms;    /* that a hypervisor has taken; -1: unknown */
	int64_t throttle_us; /* of each second that Linux keeps from real-time threads; 0: none */
};

/*
 * Reads the files below `root`, "" for the machine's own. `cpu` is Linux's number. Threads of Linux count if their
 * priority is above `priority`; 100: none but those of SCHED_DEADLINE. What cannot be read is left out.
 */
void machine_read(struct machine *machine, const char *root, unsigned int cpu, int priority);
/* Returns the SCHED_FIFO priority of the thread of process `pid` that last ran on `cpu`, or 0 if there is none. */
int machine_priority(const char *root, int pid, unsigned int cpu);

/* The interrupt that came most often between two moments, and how often; NULL: none came. */
const struct machine_interrupt *machine_busiest(const struct machine *before,
						const struct machine *after, uint64_t *count);
/* The thread that ran longest between two moments, and how long; NULL: none ran. */
const struct machine_task *machine_longest(const struct machine *before,
					   const struct machine *after, uint64_t *ns);

#endif
