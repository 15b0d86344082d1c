/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The console: a byte ring in memory shared by a component and a Linux process. Version 1.
 *
 * One side writes, the other reads. `head` counts the bytes ever written, `tail` those ever read;
 * only the writer changes head, only the reader changes tail. The other side's counter is a claim:
 * copy it once, and treat a difference greater than the size as a broken ring (drop what is there,
 * continue from head). Nothing in it is an address.
 */
#ifndef LIMPET_RING_H
#define LIMPET_RING_H

#include <stdint.h>

#define LIMPET_RING_MAGIC 0x676e697270756d6cul

struct limpet_ring {
	uint64_t magic;
	uint32_t version;
	uint32_t size; /* of data, a power of two; the reader computes it from the mapping */
	uint64_t head __attribute__((aligned(64)));
	uint64_t dropped; /* bytes that the writer had no room for */
	uint64_t tail __attribute__((aligned(64)));
	char data[] __attribute__((aligned(64)));
};

/*
 * Bytes that may be read, from counters copied once; 0 when they make no sense.
 * `size` is the reader's own knowledge of the ring, never the ring's field.
 */
static inline uint64_t limpet_ring_used(uint64_t head, uint64_t tail, uint64_t size)
{
	uint64_t used = head - tail;

	return used <= size ? used : 0;
}

#endif
