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

/*
 * If the tail is not within the ring behind the head, the reader is broken, and the ring counts as
 * empty.
 */
static uint64_t ring_space(const struct ring_writer *writer, uint64_t head)
{
	uint64_t used = head - __atomic_load_n(&writer->ring->tail, __ATOMIC_ACQUIRE);

	return used <= writer->size ? writer->size - used : writer->size;
}

/* Reserves `size` bytes. Returns false without space. Another writer may preempt it. */
static bool ring_reserve(struct ring_writer *writer, uint64_t size, uint64_t *at)
{
	*at = __atomic_load_n(&writer->reserved, __ATOMIC_RELAXED);
	do
		if (size > ring_space(writer, *at))
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
 * Publishes all complete text. Only the last active writer does that. Other writers may start and
 * finish between any two steps. The head never covers incomplete text, never goes back, and ends at
 * the last reserved byte. Returns true if the reader had read all text before.
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
