/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts between time stamps and Linux's representations of time. */
#ifndef POSIX_CLOCK_H
#define POSIX_CLOCK_H

#include <runtime/component.h>
#include <runtime/types.h>

#include <linux/time.h>

#define NS_PER_S 1000000000ul

/* Convert ticks to nanoseconds, rounded down, and nanoseconds to ticks, rounded up. Return the maximum on overflow. */
uint64_t clock_ns(uint64_t ticks);
uint64_t clock_ticks(uint64_t ns);

/* Returns whether a time is invalid: it is negative, or its nanoseconds are not 0 to 999,999,999. */
bool time_bad(const struct timespec *time);
/* Converts a time to nanoseconds. Returns the maximum on overflow. */
uint64_t time_ns(const struct timespec *time);
/* Converts nanoseconds to a time. */
struct timespec time_of_ns(uint64_t ns);

/*
 * Stores the time of a clock in nanoseconds in *ns. Returns false if there is no such clock, or its thread has ended.
 */
bool clock_now(word clock, uint64_t *ns);
/* Returns whether a clock counts the run time of threads. */
bool clock_of_thread(word clock);
/* Returns whether timers can use a clock. They cannot use the coarse and the raw clocks. */
bool clock_settable(word clock);
/*
 * Returns a name of the clock that is valid in all threads. The clock of the calling thread's processor time gets its
 * id.
 */
word clock_own(word clock);
/* Returns the time stamp at which a clock shows `time`. */
uint64_t clock_deadline(word clock, const struct timespec *time);
/* Returns the time stamp that is `time` from now. */
uint64_t clock_after(const struct timespec *time);
/* Returns the time stamp that is `ns` nanoseconds from now. */
uint64_t clock_after_ns(uint64_t ns);
/* Returns the time stamp that is `ms` milliseconds from now, or LIMPET_NEVER if `ms` is negative. */
uint64_t clock_after_ms(int ms);
/* Sets the real time to Linux's. If that is unknown, the real time is 0 when the time stamp is 0. */
void clock_begin(const struct limpet_info *info);
/* Returns the real time in nanoseconds. */
uint64_t clock_real_ns(void);
/* Sets the real time, in nanoseconds. */
void clock_real_set(uint64_t ns);

#endif
