/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The shared memory of the two components and the Linux process. Values go from the partner to the component `first`,
 * to `second`, and back to the partner.
 */
#ifndef POSIX_SHM_AREA_H
#define POSIX_SHM_AREA_H

#include <stdbool.h>
#include <stdint.h>

#define RING 64
#define CRASH (~0ull) /* a value that makes the component `first` crash */

/* Indices and values are claims of the other side. The reader masks an index before it uses it. */
struct ring {
	_Atomic uint64_t head, tail;
	uint64_t value[RING];
};

enum { TO_FIRST, TO_SECOND, TO_PARTNER, RINGS };

struct area {
	_Atomic uint64_t counter;   /* all three sides add 1 for each value */
	_Atomic uint64_t starts[2]; /* number of starts of each component */
	uint64_t kept;
	struct ring ring[RINGS];
	char rest[20000]; /* the last byte is in another page */
	char last;
};

/* The memory of the component `first` and the Linux process alone. */
struct own {
	_Atomic uint64_t request, answer; /* answer: twice the request */
};

static inline bool ring_put(struct ring *ring, uint64_t value)
{
	if (ring->head - ring->tail >= RING)
		return false;
	ring->value[ring->head % RING] = value;
	ring->head++;
	return true;
}

static inline bool ring_get(struct ring *ring, uint64_t *value)
{
	if (ring->head == ring->tail)
		return false;
	*value = ring->value[ring->tail % RING];
	ring->tail++;
	return true;
}

#endif
