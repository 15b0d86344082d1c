/* SPDX-License-Identifier: BSD-2-Clause */
/* Barriers: static struct barrier b = { .total = 4 }; */
#ifndef SYNC_BARRIER_H
#define SYNC_BARRIER_H

#include <sync/core.h>

struct barrier {
	uint32_t total; /* threads that it takes */
	uint64_t state; /* threads that have arrived; how often it has opened << 32 */
	uint32_t waiters;
};

/*
 * Waits until `total` threads have arrived; then it is ready for the next time. Status: 1 in the
 * last one to arrive, 0 in the others. ETIME: the caller has not arrived then. ERANGE: total is 0.
 */
long barrier_wait(struct barrier *barrier, uint64_t deadline);

#endif
