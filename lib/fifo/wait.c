// SPDX-License-Identifier: BSD-2-Clause
/* Waits for Linux's reads and writes. */
#include <channel/channel.h>

#include "state.h"

static uint64_t bit_of(const struct fifo *f)
{
	return 1ul << f->number;
}

static bool is_watched(const struct fifo *f)
{
	return !__atomic_load_n(&f->ignored, __ATOMIC_SEQ_CST);
}

/* Returns the FIFO for which Linux's reads of the node of `f` count. */
static const struct fifo *read_for(const struct fifo *f)
{
	const struct fifo *reads_for = __atomic_load_n(&f->reads_for, __ATOMIC_SEQ_CST);

	return reads_for ? reads_for : f;
}

uint32_t fifo_wants(const struct fifo *f)
{
	return (is_watched(f) ? LIMPET_SLEEP_DATA : 0) |
	       (is_watched(read_for(f)) ? LIMPET_SLEEP_SPACE : 0);
}

void fifo_ask_again(struct fifo *f)
{
	if (__atomic_load_n(&fifos_waiting, __ATOMIC_SEQ_CST) &&
	    __atomic_load_n(&f->end.generation, __ATOMIC_SEQ_CST))
		LIMPET_SAY(f->end.self->sleeping, fifo_wants(f));
}

/* Returns the bits of the FIFOs that Linux has read from or written into since the last call. */
static uint64_t fifo_news(struct fifo *f)
{
	uint32_t generation = __atomic_load_n(&f->end.generation, __ATOMIC_SEQ_CST);
	const uint32_t wants = fifo_wants(f);
	uint64_t head, tail, news = 0;

	if (!generation || !wants)
		return 0;
	if (f->told != generation)
		f->told_head = f->told_tail = 0;
	f->told = generation;
	head = fifo_claim(f, generation, &f->end.peer->head);
	tail = fifo_claim(f, generation, &f->end.peer->tail);
	if (wants & LIMPET_SLEEP_DATA && head != f->told_head)
		news = bit_of(f);
	if (wants & LIMPET_SLEEP_SPACE && tail != f->told_tail)
		news |= bit_of(read_for(f));
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

static void waiting_set(bool waiting)
{
	struct fifo *all;

	__atomic_store_n(&fifos_waiting, waiting, __ATOMIC_SEQ_CST);
	for (unsigned int i = fifos_all(&all); i-- > 0;)
		if (__atomic_load_n(&all[i].end.generation, __ATOMIC_SEQ_CST))
			LIMPET_SAY(all[i].end.self->sleeping, waiting ? fifo_wants(&all[i]) : 0);
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
	waiting_set(true);
	while (!(news = news_all()) && !status && !(came & ~own)) {
		status = channel_wait_until(0, &came, deadline);
		if (!status && !came)
			break;
	}
	waiting_set(false);
	return news | news_all();
}
