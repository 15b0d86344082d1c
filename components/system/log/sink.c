// SPDX-License-Identifier: BSD-2-Clause
/* Sends lines to Linux only. */
#include "channel.h"
#include "sink.h"

long sink_init(const struct limpet_info *info)
{
	return channel_init(info);
}

void sink_write(const char *text, uint64_t size)
{
	channel_write(text, size);
}

uint64_t sink_dropped(void)
{
	return channel_dropped();
}
