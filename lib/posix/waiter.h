/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads that wait at an address. All functions require posix_lock(). */
#ifndef POSIX_WAITER_H
#define POSIX_WAITER_H

#include "posix.h"

/* Makes a thread wait at `address`, before thread_wait(). It is woken for any of `bits`. */
void waiter_begin(struct posix_thread *thread, const uint32_t *address, uint32_t bits,
		  enum posix_waiting waiting);
/* Wakes up to `max` threads that wait at `address` for one of `bits`. Returns their number. */
long waiters_wake(const uint32_t *address, uint32_t max, uint32_t bits);
/* Wakes up to `wakes` threads, then moves up to `moves` others to address `to`. Returns the number of all of them. */
long waiters_move(const uint32_t *from, uint32_t wakes, uint32_t moves, const uint32_t *to);
/* Wakes one thread that waits at `address`. */
void futex_wake(const uint32_t *address);
/* Wakes all threads that wait at `address`. */
void futex_wake_all(const uint32_t *address);

#endif
