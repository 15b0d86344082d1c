// SPDX-License-Identifier: BSD-2-Clause
#include <channel/end.h>
#include <runtime/kernel_call.h>
#include <runtime/ring.h>

#include "channel.h"

static struct ring_writer ring;
static struct limpet_end end;

long channel_init(const struct limpet_info *info)
{
	struct limpet_channel_header *header;

	if (!info->channel)
		return LIMPET_ENOENT;
	header = (void *)(info->channel - LIMPET_CHANNEL_PAGE);
	end = (struct limpet_end){ .self = &header->component, .peer = &header->host };
	ring_writer_init(&ring, (void *)info->channel, info->channel_size);
	return LIMPET_OK;
}

/* Starts this end in each life of the component. A restart from a checkpoint initialises nothing. */
static void end_renew(void)
{
	struct limpet_out out = { 0 };
	uint32_t life;

	limpet_call_channel_state(LIMPET_SLOT_CHANNEL, LIMPET_CHANNEL_STOPS, &out);
	life = ((uint32_t)out.w0 + 1) << 16;
	if ((end.generation ^ life) >> 16)
		limpet_end_begin(&end,
				 limpet_generation_after(life | (end.self->generation & 0xffff)));
}

/*
 * Several threads may do this at a time. One event can replace another then, but each thread sends its event after its
 * text can be read, so that Linux sees one event after the last text.
 */
void channel_write(const char *text, uint64_t size)
{
	if (!ring_write(&ring, text, size))
		return;
	end_renew();
	limpet_end_connected(&end);
	limpet_end_event(&end);
	limpet_call_channel_notify(LIMPET_SLOT_CHANNEL);
}

uint64_t channel_dropped(void)
{
	return ring.dropped;
}
