/* SPDX-License-Identifier: GPL-2.0 */
/* Measured calls of getppid(), and Linux's mechanisms that see or answer them. */
#ifndef BENCH_EXEC_CALLS_H
#define BENCH_EXEC_CALLS_H

#include <stdbool.h>
#include <sys/types.h>

#include "../figure.h"

/* The answer of all mechanisms that answer. It is above the maximum of Linux's process ids (4,194,304). */
#define CALLS_ANSWER 5000000
#define CALLS_WARM_UP 100

struct calls {
	struct figure figure;
	unsigned long count; /* number of measured calls; CALLS_WARM_UP others precede them */
	bool served;	     /* the result must be CALLS_ANSWER, not the parent's id */
	void (*begin)(void); /* immediately before the first call, or NULL */
	void (*end)(void);   /* immediately after the last call, or NULL */
};

/* --- calls.c */

/* Makes the calls, checks each result, and prints the figure. Makes no other system call between begin and end. */
void calls_make(const struct calls *calls);
/* Exits with a message. */
void calls_wrong(const struct calls *calls, const char *what, long value) __attribute__((noreturn));
/* Waits for a child. Exits with a message unless it ended with status 0. */
void calls_wait(const struct calls *calls, pid_t child);

/* --- calls_signal.c, calls_notify.c, calls_trace.c */

/* Each sets up one mechanism and makes the calls under it. `calls->served` chooses between answering and passing. */
void calls_dispatch(struct calls *calls);
void calls_trap(struct calls *calls);
void calls_notify(struct calls *calls);
void calls_trace(struct calls *calls);

#endif
