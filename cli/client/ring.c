// SPDX-License-Identifier: BSD-2-Clause
#include <string.h>

#include <client/ring.h>

#define RING_VERSION 1

static uint64_t ring_size(size_t memory)
{
	uint64_t size = 1;

	while (size * 2 <= memory - sizeof(struct limpet_ring))
		size *= 2;
	return size;
}

bool limpet_ring_open(struct limpet_ring_reader *reader, void *at, size_t memory)
{
	struct limpet_ring *ring = at;

	if (memory < 2 * sizeof(struct limpet_ring))
		return false;
	if (__atomic_load_n(&ring->magic, __ATOMIC_ACQUIRE) != LIMPET_RING_MAGIC)
		return false;
	if (__atomic_load_n(&ring->version, __ATOMIC_RELAXED) != RING_VERSION)
		return false;
	*reader = (struct limpet_ring_reader){
		.ring = ring,
		.size = ring_size(memory),
		.tail = __atomic_load_n(&ring->tail, __ATOMIC_RELAXED),
	};
	return true;
}

/* Copies at most two pieces: one up to the end of the ring's data, and one from its start. */
static void ring_copy(const struct limpet_ring_reader *reader, char *to, size_t count)
{
	size_t at = reader->tail & (reader->size - 1);
	size_t first = count < reader->size - at ? count : reader->size - at;

	memcpy(to, reader->ring->data + at, first);
	memcpy(to + first, reader->ring->data, count - first);
}

size_t limpet_ring_read(struct limpet_ring_reader *reader, char *to, size_t size)
{
	/* The counter is copied once, because the writer can change it at any time. */
	uint64_t head = __atomic_load_n(&reader->ring->head, __ATOMIC_ACQUIRE);
	uint64_t count = limpet_ring_used(head, reader->tail, reader->size);

	if (!count && head != reader->tail) {
		reader->broken++;
		reader->tail = head;
	}
	if (count > size)
		count = size;
	ring_copy(reader, to, count);
	reader->tail += count;
	__atomic_store_n(&reader->ring->tail, reader->tail, __ATOMIC_RELEASE);
	return count;
}

uint64_t limpet_ring_dropped(struct limpet_ring_reader *reader)
{
	uint64_t now = __atomic_load_n(&reader->ring->dropped, __ATOMIC_RELAXED);
	uint64_t more = now - reader->dropped;

	reader->dropped = now;
	return more;
}
