/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Client library: the reading side of the byte ring of <limpet/ring.h>.
 *
 * The reader keeps its own position and its own idea of the size: nothing that the component
 * writes into the shared memory can make it read outside the mapping, loop, or block. A ring has
 * one reader.
 */
#ifndef CLIENT_RING_H
#define CLIENT_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <limpet/ring.h>

struct limpet_ring_reader {
	struct limpet_ring *ring;
	uint64_t size;	  /* of data, a power of two, from the mapping's size */
	uint64_t tail;	  /* bytes read */
	uint64_t dropped; /* the writer's last count of bytes it had no room for */
	uint64_t broken;  /* times that the writer's counter made no sense */
};

/*
 * Begins to read a ring in `memory` bytes at `at`, from where the reader before stopped (its first
 * byte, if there was none). False: the mapping is too small, or there is no ring of this version in it yet.
 */
bool limpet_ring_open(struct limpet_ring_reader *reader, void *at, size_t memory);
/*
 * Takes at most `size` bytes out of the ring; returns how many. A writer's counter that makes no
 * sense costs the text that was in the ring, and is counted in `broken`.
 */
size_t limpet_ring_read(struct limpet_ring_reader *reader, char *to, size_t size);
/* Bytes that the writer newly says to have dropped since the last call. */
uint64_t limpet_ring_dropped(struct limpet_ring_reader *reader);

#endif
