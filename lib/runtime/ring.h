/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes to the byte ring of <limpet/ring.h>. The writer keeps its own head and size, so a reader
 * that corrupts the ring can only cause lost text.
 *
 * Several threads of one CPU may write. Each reserves its part first, and reserved parts become
 * visible when no writer is active. A preempted writer delays the text of other writers until it
 * continues, but texts do not mix.
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

/* Returns the size of a ring in a mapping of `memory` bytes: the largest power of two that fits. */
uint64_t ring_size(uint64_t memory);
/* Initializes the head of an empty ring in `memory` bytes, at least 4096, including its data. */
void ring_head_init(struct limpet_ring *ring, uint64_t memory);
/*
 * Initializes a writer of the ring at `at`. ring_head_init() must have initialized the ring's head.
 */
void ring_writer_init(struct ring_writer *writer, void *at, uint64_t memory);
/*
 * Writes all `size` bytes. If they do not fit, writes nothing and counts them as dropped. Returns
 * true if the caller should wake the reader, which may have seen an empty ring. Never waits.
 */
bool ring_write(struct ring_writer *writer, const char *text, uint64_t size);

#endif
