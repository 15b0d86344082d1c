/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Timers. Nobody sleeps for one: whoever waits and would take its signal waits no longer than to it, and
 * a system call looks whether one is due. With the lock, but for timers_due().
 */
#ifndef POSIX_TIMER_H
#define POSIX_TIMER_H

#include "posix.h"

/* Makes the signals pending of all timers that are due. Cost: a comparison when none is. */
void timers_fire(uint64_t now);
/* The next time at which a timer has a signal that `t` would take; LIMPET_NEVER: none. */
uint64_t timers_next(const struct posix_thread *thread);
/* Whether timers_fire() would do something. */
bool timers_due(void);
/* Disarms the timers of a thread that ends. */
void timers_forget(const struct posix_thread *thread);

#endif
