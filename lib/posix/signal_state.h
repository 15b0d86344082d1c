/* SPDX-License-Identifier: BSD-2-Clause */
/* State that the files about signals share. posix_lock() protects it. */
#ifndef POSIX_SIGNAL_STATE_H
#define POSIX_SIGNAL_STATE_H

#include <asm/siginfo.h>
#include <asm/signal.h>

#include "signals.h"

#define SIGNALS 64
#define BIT(signal) (1ul << ((signal) - 1))
#define UNBLOCKABLE (BIT(SIGKILL) | BIT(SIGSTOP))

extern struct sigaction signal_actions[SIGNALS + 1];
extern uint64_t signals_of_program; /* pending signals that any thread can take */

/* Returns whether a signal is ignored, by its action or by default. */
bool signal_ignored(int signal);
/* Removes the lowest pending signal of a set, and stores its data. Returns its number, or 0 if none is pending. */
int signal_take(struct posix_thread *thread, uint64_t set, struct siginfo *info);
/* Returns whether a thread would enter a handler for a signal now. */
bool signal_catchable(const struct posix_thread *thread, int signal);
/*
 * Enters the handler of a signal for thread->exception, before all other signals. Ends the program if the handler was
 * removed. Takes the lock.
 */
void signal_exception(struct posix_thread *thread, int signal, const struct siginfo *info);

#endif
