/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts system calls and signals. Handler threads only add to numbers in memory, by atomic operations. So they need no
 * lock and can be preempted anywhere. The component's own thread prints.
 *
 * The time of a call lasts from the executive's answer to Linux's result. So it includes waiting, as with strace -c -w.
 * At most PROCESSES processes are counted at the same time. Further processes are not counted, and a line reports the
 * number of their threads.
 */
#ifndef COUNT_H
#define COUNT_H

#include <executive/executive.h>

#define PROCESSES 64
#define TOGETHER 1u /* process id of the one entry for all processes, which no guest has */
#define NUMBERS 512 /* the last one also counts all higher numbers */

struct count {
	uint32_t calls, errors;
	uint64_t ticks;
};

/* A process. */
struct process {
	uint64_t owner;	  /* Linux's id << 32 | number of its threads; 0: the entry is free */
	uint32_t signals; /* number of delivered signals, without the one that ended it */
	struct count count[NUMBERS];
};

extern struct process processes[PROCESSES];
extern uint32_t left_out; /* threads of processes that are not counted */

/* Adds a thread to a process. Returns the process, or NULL if there is no space. */
struct process *process_enter(uint32_t pid);
/*
 * Removes a thread from a process. Returns whether it was the last one. The entry remains until
 * process_free().
 */
bool process_leave(struct process *process);
/* Returns whether all threads of the process have ended. */
bool process_ended(const struct process *process);
/* Makes the entry free for another process. Context: the component's own thread. */
void process_free(struct process *process);

/* Prints the table of a process. `results`: with errors and times. Context: the component's own thread. */
void table_print(const struct process *process, bool results);

#endif
