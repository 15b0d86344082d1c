// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/kernel_call.h>
#include <runtime/ring.h>

#include "channel.h"

static struct ring_writer ring;

long channel_init(const struct limpet_info *info)
{
	if (!info->channel)
		return LIMPET_ENOENT;
	ring_writer_init(&ring, (void *)info->channel, info->channel_size);
	return LIMPET_OK;
}

void channel_write(const char *text, uint64_t size)
{
	if (ring_write(&ring, text, size))
		limpet_call_channel_notify(LIMPET_SLOT_CHANNEL);
}

uint64_t channel_dropped(void)
{
	return ring.dropped;
}
