/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements barriers: static struct barrier b = { .total = 4 }; */
#ifndef SYNC_BARRIER_H
#define SYNC_BARRIER_H

#include <sync/core.h>

struct barrier {
	uint32_t total;	  /* number of threads that open the barrier, 1 to 2^32 - 1 */
	uint64_t state;	  /* threads that have arrived; number of openings << 32 */
	uint32_t waiters; /* threads that wait in the scheduler */
};

/*
 * Waits until `total` threads have arrived, at most until the deadline. The barrier can then be used again. Returns 1
 * for the last thread, and 0 for the other threads. ETIME: the deadline has passed, and the caller does not count as
 * arrived. ERANGE: `total` is 0.
 */
long barrier_wait(struct barrier *barrier, uint64_t deadline);

#endif
