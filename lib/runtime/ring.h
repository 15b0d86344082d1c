/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The writing side of the byte ring of <limpet/ring.h>. The writer keeps its own head and size;
 * what the other side writes into the ring is a claim that can at worst cost text.
 *
 * Several threads of one CPU may write: each reserves its part first, and what is reserved becomes
 * visible when no writer is under way. So a writer that is preempted in the middle delays others'
 * text until it goes on, but never mixes with it.
 */
#ifndef RUNTIME_RING_H
#define RUNTIME_RING_H

#include <runtime/types.h>

#include <limpet/ring.h>

struct ring_writer {
	struct limpet_ring *ring;
	uint64_t size;	   /* of data, a power of two */
	uint64_t reserved; /* head, once all writers are done */
	uint64_t shown;	   /* head, as the reader sees it */
	uint64_t dropped;
	uint32_t writers;
};

/* The largest power of two of data bytes that fits a mapping of `memory` bytes. */
uint64_t ring_size(uint64_t memory);
/* Makes the head of an empty ring that has `memory` bytes, at least 4096, with its data. */
void ring_head_init(struct limpet_ring *ring, uint64_t memory);
/* Makes a writer of the ring at `at`, whose head was written by ring_head_init(). */
void ring_writer_init(struct ring_writer *writer, void *at, uint64_t memory);
/*
 * Writes all of `size` bytes or, when there is no room, none of them, and counts them as dropped.
 * Returns true when the reader should be woken: it may have seen an empty ring before.
 */
bool ring_write(struct ring_writer *writer, const char *text, uint64_t size);

#endif
