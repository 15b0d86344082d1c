// SPDX-License-Identifier: BSD-2-Clause
#include <channel/channel.h>
#include <runtime/component.h>
#include <runtime/time.h>

#define WORK_US 2500

static struct limpet_channel channel;

static void message_serve(uint64_t ticks)
{
	const uint64_t end = limpet_time() + ticks;
	char message[64];

	channel_receive(&channel, message, sizeof(message));
	while (limpet_time() < end)
		;
}

void component_main(const struct limpet_info *info)
{
	const uint64_t work = limpet_us_to_ticks(WORK_US);
	uint64_t length;

	(void)info;
	if (channel_open(&channel, "flood"))
		return;
	for (;;) {
		while (channel_peek(&channel, &length))
			message_serve(work);
		channel_wait(channel.bit);
	}
}
