/* SPDX-License-Identifier: GPL-2.0 */
/* tracepoint.c includes headers of Linux whose names collide with the kernel's, so it includes nothing else of Limpet. */
#ifndef HOST_LINUX_GUEST_TRACEPOINT_H
#define HOST_LINUX_GUEST_TRACEPOINT_H

struct k_sigaction;
struct kernel_siginfo;
struct task_struct;

/*
 * Starts to call the functions below: those of signal.c, or those of watch.c. Returns 0, or a negative errno with a line
 * in the log. Sleeps, as does _exit(). After _exit() none of them runs any more.
 */
int guest_tracepoints_init(bool signals);
void guest_tracepoints_exit(bool signals);

/*
 * watch.c. Called for every thread of Linux: it has made a child, which has not run yet; it executes another program; it
 * exits. Process context of that thread, preemption disabled.
 */
void guest_forked(struct task_struct *child);
void guest_executed(void);
void guest_exited(void);

/*
 * signal.c. _delivered() is called in each thread that takes a signal from its queue, _sent() for each signal that was put
 * into the queue of `to`. With the lock of the receiver's signals, preemption disabled. `info` can be one of Linux's
 * special values.
 */
void guest_signal_delivered(int number, const struct kernel_siginfo *info,
			    const struct k_sigaction *action);
void guest_signal_sent(int number, const struct kernel_siginfo *info, struct task_struct *to);

#endif
