/* SPDX-License-Identifier: BSD-2-Clause */
/* Pending signals, and the entry of handlers. All functions except the last two require posix_lock(). */
#ifndef POSIX_SIGNALS_H
#define POSIX_SIGNALS_H

#include "posix.h"

/* Counts the expirations of a timer while its signal is pending. */
struct signal_overrun {
	bool pending;	/* its signal is queued */
	uint64_t count; /* since the signal became pending */
	uint64_t last;	/* when the signal was last taken */
};

/* Data that are queued with a signal. */
struct signal_info {
	int code;			/* SI_... */
	int timer;			/* SI_TIMER: its id */
	struct signal_overrun *overrun; /* SI_TIMER: updated when the signal is taken */
	word value; /* SI_TIMER, SI_QUEUE: the value; SI_TKILL, SI_USER: unused */
};

/*
 * Makes signal 1 to 64 pending for a thread, or for the program (NULL). Returns 0, -EAGAIN if too many signals are
 * pending, or 1 without a change if the signal is ignored or pending already.
 */
long signal_post(struct posix_thread *thread, int signal, const struct signal_info *info);
/* Returns whether a thread has a pending signal that it does not block, or that it awaits. */
bool signal_wanted(const struct posix_thread *thread);
/* Returns whether a thread would take such a signal now. */
bool signal_open(const struct posix_thread *thread, int signal);
/* Sets the signal mask until the end of the system call, or until a handler has returned. Takes posix_lock(). */
void mask_replace(struct posix_thread *thread, uint64_t mask);
/*
 * Ends mask_replace() of a call with the result `status`. If no signal interrupted the call, signals that the thread's
 * own mask blocks stay pending. Takes posix_lock().
 */
void mask_settle(struct posix_thread *thread, long status);
/* Drops the queued signals of a deleted timer. */
void signals_timer_deleted(const struct signal_overrun *overrun);
/* Drops all pending signals of a number, because their action is now to ignore them. */
void signals_discard(int signal);
/* Drops the queued signals of an ending thread. */
void signals_forget(const struct posix_thread *thread);

#endif
