/* SPDX-License-Identifier: BSD-2-Clause */
/* Timers, and the thread that fires them. All functions require posix_lock(). */
#ifndef POSIX_TIMER_H
#define POSIX_TIMER_H

#include "posix.h"
#include "signals.h"

/* Makes the signals of all due timers pending. */
void timers_fire(uint64_t now);
/* Counts the expirations of a timer until now. Called when its signal is taken. */
void timer_catch_up(struct signal_overrun *overrun);
/* Returns the time stamp of the next due timer, or LIMPET_NEVER if no timer is armed. */
uint64_t timers_next(void);
/* Disarms the timers of an ending thread, and the timers of its processor time. */
void timers_forget(const struct posix_thread *thread);
/* Adapts the absolute timers of the real time after that clock was set. */
void timers_clock_set(void);

/* alarm.c: makes the thread that fires timers. Returns false if no thread is left for it. */
bool alarm_ready(void);
/* Makes the thread check the timers at the time stamp `due` or earlier. */
void alarm_set(uint64_t due);
/* Ends the thread together with the program. */
void alarm_end(void);

#endif
