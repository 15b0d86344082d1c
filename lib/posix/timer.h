/* SPDX-License-Identifier: BSD-2-Clause */
/* Timers, and the thread that fires them. With the lock. */
#ifndef POSIX_TIMER_H
#define POSIX_TIMER_H

#include "posix.h"

/* Makes the signals pending of all timers that are due. */
void timers_fire(uint64_t now);
/* Returns the time stamp at which timers_fire() has something to do next; LIMPET_NEVER: no timer is armed. */
uint64_t timers_next(void);
/* Disarms the timers of a thread that ends, and those of its processor time. */
void timers_forget(const struct posix_thread *thread);
/* The real time was set: absolute timers of that clock are due at other time stamps. */
void timers_clock_set(void);

/* alarm.c: makes the thread that fires timers. Returns false if no thread is left for it. */
bool alarm_ready(void);
/* The thread looks at the timers at the time stamp `due` at the latest. */
void alarm_set(uint64_t due);
/* The thread ends with the program. */
void alarm_end(void);

#endif
