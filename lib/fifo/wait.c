// SPDX-License-Identifier: BSD-2-Clause
/* Waits for Linux's reads and writes. */
#include <channel/channel.h>

#include "state.h"

static bool notified;	/* Linux notifies the component of its reads and writes */
static uint64_t wanted; /* bit N: FIFO N is created, and fifo_wait() returns its reads or writes */

static uint64_t bit_of(const struct fifo *fifo)
{
	return 1ul << fifo->number;
}

static bool is_watched(const struct fifo *fifo)
{
	return !__atomic_load_n(&fifo->ignored, __ATOMIC_SEQ_CST);
}

/* Returns the FIFO for which Linux's reads of the node of `fifo` count. */
static const struct fifo *read_for(const struct fifo *fifo)
{
	const struct fifo *reads_for = __atomic_load_n(&fifo->reads_for, __ATOMIC_SEQ_CST);

	return reads_for ? reads_for : fifo;
}

/* Returns the changes of which the service thread wants to be notified. */
static uint32_t fifo_wants(const struct fifo *fifo)
{
	if (!__atomic_load_n(&fifo->end.generation, __ATOMIC_SEQ_CST))
		return 0;
	return (is_watched(fifo) ? LIMPET_SLEEP_DATA : 0) |
	       (is_watched(read_for(fifo)) ? LIMPET_SLEEP_SPACE : 0);
}

void fifo_wants_changed(struct fifo *fifo)
{
	const uint32_t wants = fifo_wants(fifo);

	if (wants)
		__atomic_fetch_or(&wanted, bit_of(fifo), __ATOMIC_SEQ_CST);
	else
		__atomic_fetch_and(&wanted, ~bit_of(fifo), __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&notified, __ATOMIC_SEQ_CST))
		LIMPET_SAY(fifo->end.self->sleeping, wants);
}

/* Returns the bits of the FIFOs that Linux has read from or written into since the last call. */
static uint64_t fifo_changed(struct fifo *fifo)
{
	uint32_t generation = __atomic_load_n(&fifo->end.generation, __ATOMIC_SEQ_CST);
	const uint32_t wants = fifo_wants(fifo);
	uint64_t head, tail, changed = 0;

	if (!generation || !wants)
		return 0;
	if (fifo->reported != generation)
		fifo->reported_head = fifo->reported_tail = 0;
	fifo->reported = generation;
	head = fifo_claim(fifo, generation, &fifo->end.peer->head);
	tail = fifo_claim(fifo, generation, &fifo->end.peer->tail);
	if (wants & LIMPET_SLEEP_DATA && head != fifo->reported_head)
		changed = bit_of(fifo);
	if (wants & LIMPET_SLEEP_SPACE && tail != fifo->reported_tail)
		changed |= bit_of(read_for(fifo));
	fifo->reported_head = head;
	fifo->reported_tail = tail;
	return changed;
}

static uint64_t fifos_wanted(void)
{
	return __atomic_load_n(&wanted, __ATOMIC_SEQ_CST);
}

static uint64_t changed_all(void)
{
	uint64_t changed = 0;

	for (uint64_t left = fifos_wanted(); left; left &= left - 1)
		changed |= fifo_changed(fifo_of((unsigned int)__builtin_ctzl(left)));
	return changed;
}

static void notified_set(bool on)
{
	__atomic_store_n(&notified, on, __ATOMIC_SEQ_CST);
	for (uint64_t left = fifos_wanted(); left; left &= left - 1) {
		struct fifo *fifo = fifo_of((unsigned int)__builtin_ctzl(left));

		LIMPET_SAY(fifo->end.self->sleeping, on ? fifo_wants(fifo) : 0);
	}
	LIMPET_FENCE();
}

/*
 * Linux continues to notify the component while it handles changes. An event more costs Linux little, and the next wait
 * starts earlier: beneath Linux this is part of the time until a reader has its data.
 */
uint64_t fifo_wait(uint64_t previous, uint64_t deadline)
{
	uint64_t changed = 0;
	word came = 0;
	long status = LIMPET_OK;

	if (previous)
		return previous | changed_all();
	if (!notified)
		notified_set(true);
	while (!(changed = changed_all()) && !status && !(came & ~fifos_events)) {
		status = channel_wait_until(0, &came, deadline);
		if (!status && !came)
			break;
	}
	if (!changed)
		notified_set(false);
	return changed;
}
