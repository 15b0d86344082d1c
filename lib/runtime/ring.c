// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/memory.h>
#include <runtime/ring.h>

uint64_t ring_size(uint64_t memory)
{
	uint64_t size = 1;

	while (size * 2 <= memory - sizeof(struct limpet_ring))
		size *= 2;
	return size;
}

void ring_head_init(struct limpet_ring *ring, uint64_t memory)
{
	*ring = (struct limpet_ring){
		.magic = LIMPET_RING_MAGIC,
		.version = 1,
		.size = (uint32_t)ring_size(memory),
	};
}

void ring_writer_init(struct ring_writer *writer, void *at, uint64_t memory)
{
	*writer = (struct ring_writer){ .ring = at, .size = ring_size(memory) };
	writer->reserved = writer->ring->head;
	writer->shown = writer->reserved;
}

/* A reader that is ahead of the writer, or a ring behind it, is broken: there is room for all. */
static uint64_t ring_room(const struct ring_writer *writer, uint64_t head)
{
	uint64_t used = head - __atomic_load_n(&writer->ring->tail, __ATOMIC_ACQUIRE);

	return used <= writer->size ? writer->size - used : writer->size;
}

/* Takes `size` bytes; false: there is no room. Another writer may come in between. */
static bool ring_reserve(struct ring_writer *writer, uint64_t size, uint64_t *at)
{
	*at = __atomic_load_n(&writer->reserved, __ATOMIC_RELAXED);
	do
		if (size > ring_room(writer, *at))
			return false;
	while (!__atomic_compare_exchange_n(&writer->reserved, at, *at + size, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return true;
}

static void ring_copy(struct ring_writer *writer, uint64_t at, const char *text, uint64_t size)
{
	uint64_t offset = at & (writer->size - 1);
	uint64_t first = size < writer->size - offset ? size : writer->size - offset;

	memcpy(writer->ring->data + offset, text, first);
	memcpy(writer->ring->data, text + first, size - first);
}

/*
 * The last writer under way shows everything. Others may come and go between any two steps: head
 * never covers what is not complete, never goes back, and ends where the last one left it.
 * True: the reader had seen all that was there.
 */
static bool ring_show(struct ring_writer *writer)
{
	uint64_t head, before, shown;

	if (__atomic_sub_fetch(&writer->writers, 1, __ATOMIC_SEQ_CST))
		return false;
	head = __atomic_load_n(&writer->reserved, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&writer->writers, __ATOMIC_SEQ_CST))
		return false;
	before = __atomic_load_n(&writer->shown, __ATOMIC_SEQ_CST);
	while ((int64_t)(head - before) > 0 &&
	       !__atomic_compare_exchange_n(&writer->shown, &before, head, false, __ATOMIC_SEQ_CST,
					    __ATOMIC_SEQ_CST))
		;
	do {
		shown = __atomic_load_n(&writer->shown, __ATOMIC_SEQ_CST);
		__atomic_store_n(&writer->ring->head, shown, __ATOMIC_SEQ_CST);
	} while (shown != __atomic_load_n(&writer->shown, __ATOMIC_SEQ_CST));
	return __atomic_load_n(&writer->ring->tail, __ATOMIC_SEQ_CST) == before;
}

bool ring_write(struct ring_writer *writer, const char *text, uint64_t size)
{
	uint64_t at;

	__atomic_add_fetch(&writer->writers, 1, __ATOMIC_ACQ_REL);
	if (ring_reserve(writer, size, &at)) {
		ring_copy(writer, at, text, size);
	} else {
		__atomic_add_fetch(&writer->dropped, size, __ATOMIC_RELAXED);
		__atomic_store_n(&writer->ring->dropped, writer->dropped, __ATOMIC_RELAXED);
	}
	return ring_show(writer);
}
