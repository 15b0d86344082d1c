// SPDX-License-Identifier: BSD-2-Clause
/* Returns each message of each of its channels, except of network devices, which only have to exist. */
#include <channel/channel.h>
#include <runtime/component.h>

static struct limpet_channel channels[LIMPET_INFO_CHANNELS];

static void echo(struct limpet_channel *channel)
{
	uint64_t length;
	const void *message;

	while ((message = channel_peek(channel, &length)) &&
	       channel_send(channel, message, length) != LIMPET_EFULL)
		channel_release(channel);
}

void component_main(const struct limpet_info *info)
{
	word bits = 0;

	for (uint32_t i = 0; i < info->channels; i++) {
		channel_open_index(&channels[i], i);
		bits |= channels[i].bit;
	}
	for (;;) {
		for (uint32_t i = 0; i < info->channels; i++)
			if (channels[i].info->mode == LIMPET_CHANNEL_MESSAGES)
				echo(&channels[i]);
		channel_wait(bits);
	}
}
