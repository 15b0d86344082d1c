// SPDX-License-Identifier: BSD-2-Clause
/* Waits for Linux's reads and writes. */
#include <channel/channel.h>

#include "state.h"

static uint64_t bit_of(const struct fifo *f)
{
	return 1ul << f->number;
}

/* Returns the bits of the FIFOs that Linux has read from or written into since the last call. */
static uint64_t fifo_news(struct fifo *f)
{
	uint32_t generation = __atomic_load_n(&f->end.generation, __ATOMIC_SEQ_CST);
	const struct fifo *reads_for = __atomic_load_n(&f->reads_for, __ATOMIC_ACQUIRE);
	uint64_t head, tail, news = 0;

	if (!generation)
		return 0;
	if (f->told != generation)
		f->told_head = f->told_tail = 0;
	f->told = generation;
	head = fifo_claim(f, generation, &f->end.peer->head);
	tail = fifo_claim(f, generation, &f->end.peer->tail);
	if (head != f->told_head)
		news = bit_of(f);
	if (tail != f->told_tail)
		news |= bit_of(reads_for ? reads_for : f);
	f->told_head = head;
	f->told_tail = tail;
	return news;
}

static uint64_t news_all(void)
{
	struct fifo *all;
	uint64_t news = 0;

	for (unsigned int i = fifos_all(&all); i-- > 0;)
		news |= fifo_news(&all[i]);
	return news;
}

static void sleeping_set(uint32_t what)
{
	struct fifo *all;

	__atomic_store_n(&fifos_waiting, what != 0, __ATOMIC_SEQ_CST);
	for (unsigned int i = fifos_all(&all); i-- > 0;)
		if (__atomic_load_n(&all[i].end.generation, __ATOMIC_SEQ_CST))
			LIMPET_SAY(all[i].end.self->sleeping, what);
	LIMPET_FENCE();
}

/* Returns the events at the component's endpoint that come from its FIFOs. */
static word events_of_fifos(void)
{
	const struct limpet_info *own = limpet_info();
	const struct limpet_info_channel *info = (const void *)own->channel_info;
	word bits = 0;

	for (unsigned int i = 0; i < own->channels; i++)
		if (info[i].mode == LIMPET_CHANNEL_FIFO)
			bits |= 1ul << info[i].bit;
	return bits;
}

uint64_t fifo_wait(uint64_t previous, uint64_t deadline)
{
	uint64_t news = previous | news_all();
	word came = 0, own;
	long status = LIMPET_OK;

	if (news)
		return news;
	own = events_of_fifos();
	sleeping_set(LIMPET_SLEEP_DATA | LIMPET_SLEEP_SPACE);
	while (!(news = news_all()) && !status && !(came & ~own)) {
		status = channel_wait_until(0, &came, deadline);
		if (!status && !came)
			break;
	}
	sleeping_set(0);
	return news | news_all();
}
