// SPDX-License-Identifier: BSD-2-Clause
/* Sends lines to Linux and to the serial port. Neither waits for the other. */
#include "../log/channel.h"
#include "../log/sink.h"
#include "uart.h"

long sink_init(const struct limpet_info *info)
{
	long status = channel_init(info);

	return status ? status : uart_init(info);
}

void sink_write(const char *text, uint64_t size)
{
	channel_write(text, size);
	uart_write(text, size);
}

uint64_t sink_dropped(void)
{
	return channel_dropped();
}
