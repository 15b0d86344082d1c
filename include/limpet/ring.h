/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The console: a byte ring in memory that a component and a Linux process share. Version 1.
 *
 * One side writes, the other side reads. `head` counts all bytes ever written, `tail` all bytes
 * ever read. Only the writer changes head, and only the reader changes tail. Neither side trusts
 * the counter of the other: it copies the counter once. If the difference exceeds the size, the
 * ring is broken, and the reader drops its content and continues from head. The ring contains no
 * addresses.
 */
#ifndef LIMPET_RING_H
#define LIMPET_RING_H

#include <stdint.h>

#define LIMPET_RING_MAGIC 0x676e697270756d6cul

struct limpet_ring {
	uint64_t magic;
	uint32_t version;
	uint32_t size; /* bytes of `data`, a power of two; the reader computes it from the mapping */
	uint64_t head __attribute__((aligned(64)));
	uint64_t dropped; /* bytes that did not fit and were lost */
	uint64_t tail __attribute__((aligned(64)));
	char data[] __attribute__((aligned(64)));
};

/*
 * Returns the number of bytes that can be read, or 0 if the counters are invalid. Each counter was
 * read once. `size` is the reader's own, computed from the mapping, not the ring's field.
 */
static inline uint64_t limpet_ring_used(uint64_t head, uint64_t tail, uint64_t size)
{
	uint64_t used = head - tail;

	return used <= size ? used : 0;
}

#endif
