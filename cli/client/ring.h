/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Client library: the reader of the byte ring of <limpet/ring.h>.
 *
 * The reader has its own copies of position and size, so data from the component cannot make it
 * read outside the mapping, loop, or block. A ring has one reader.
 */
#ifndef CLIENT_RING_H
#define CLIENT_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <limpet/ring.h>

struct limpet_ring_reader {
	struct limpet_ring *ring;
	uint64_t size;	  /* bytes of data, a power of two, from the mapping's size */
	uint64_t tail;	  /* bytes read */
	uint64_t dropped; /* the writer's last count of dropped bytes */
	uint64_t broken;  /* number of times that the writer's counter was invalid */
};

/*
 * Starts to read a ring in `memory` bytes at `at`, at the position of the previous reader, or at
 * the first byte. Returns false if the mapping is too small, or has no ring of this version yet.
 */
bool limpet_ring_open(struct limpet_ring_reader *reader, void *at, size_t memory);
/*
 * Removes at most `size` bytes from the ring. Returns their number. If the writer's counter is
 * invalid, the unread text is lost, and `broken` is incremented.
 */
size_t limpet_ring_read(struct limpet_ring_reader *reader, char *to, size_t size);
/* Returns the number of bytes that the writer has dropped since the last call. */
uint64_t limpet_ring_dropped(struct limpet_ring_reader *reader);

#endif
