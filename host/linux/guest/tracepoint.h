/* SPDX-License-Identifier: GPL-2.0 */
/* tracepoint.c includes headers of Linux whose names collide with the kernel's, so it includes nothing else of Limpet. */
#ifndef HOST_LINUX_GUEST_TRACEPOINT_H
#define HOST_LINUX_GUEST_TRACEPOINT_H

struct task_struct;

/* Starts to call the functions below. Returns 0, or a negative errno with a line in the log. */
int guest_tracepoints_init(void);
void guest_tracepoints_exit(void);

/*
 * watch.c. Called for every thread of Linux: it has made a child, which has not run yet; it executes another program; it
 * exits. Process context of that thread, preemption disabled.
 */
void guest_forked(struct task_struct *child);
void guest_executed(void);
void guest_exited(void);

#endif
