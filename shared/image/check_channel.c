// SPDX-License-Identifier: BSD-2-Clause
/* Checks the channels between components and Linux. */
#include "checker.h"
#include "channel.h"

/* Checks that channels are in the order of components, and of numbers on each CPU. */
static int check_channel_owner(struct checker *c, uint32_t index)
{
	const struct limpet_image_channel *ch = &c->channel[index];
	struct cpu_sum *sum;

	if (!ch->component || ch->component >= c->image->components ||
	    !c->component[ch->component].priority)
		return refuse(c, "channel.component", index, "is no component with a thread");
	if (index && ch->component < ch[-1].component)
		return refuse(c, "channel.component", index,
			      "is before that of the channel before");
	if (index >= LIMPET_INFO_CHANNELS && ch->component == ch[-LIMPET_INFO_CHANNELS].component)
		return refuse(c, "channel.component", index, "has more than 16 channels");
	sum = &c->cpu[c->component[ch->component].cpu];
	if (ch->number != LIMPET_CHANNEL_FIRST + sum->channels++ ||
	    ch->number >= LIMPET_CHANNELS_MAX)
		return refuse(c, "channel.number", index,
			      "is not the next of its CPU, or above 255");
	return 0;
}

static int check_channel_name(struct checker *c, uint32_t index)
{
	const struct limpet_image_channel *ch = &c->channel[index];
	const char *name = c->strings + ch->name;

	if (!string_fits(c, ch->name, LIMPET_NAME_MAX - 1) || !channel_name_fits(ch, name) ||
	    channel_name_reserved(name))
		return refuse(c, "channel.name", index, "is no name of a node or network device");
	for (uint32_t i = 0; i < index; i++)
		if (text_equal(c->strings + c->channel[i].name, name))
			return refuse(c, "channel.name", index, "is another channel's, too");
	return 0;
}

static int check_channel(struct checker *c, uint32_t index)
{
	const struct limpet_image_channel *ch = &c->channel[index];

	if (check_channel_owner(c, index) || check_channel_name(c, index))
		return -1;
	if (ch->mode < LIMPET_CHANNEL_MESSAGES || ch->mode > LIMPET_CHANNEL_NETWORK)
		return refuse(c, "channel.mode", index, "is none of 1 to 4");
	if (!channel_memory_fits(ch))
		return refuse(c, "channel.to_linux", index,
			      "or to_component is no size that its mode can have");
	if (!channel_access_fits(ch))
		return refuse(c, "channel.access", index, "is more than reading and writing");
	if (!channel_network_fits(ch))
		return refuse(c, "channel.mtu", index,
			      "or mac is none of a network device, or given for none");
	return 0;
}

int image_check_channels(struct checker *c)
{
	for (uint32_t i = 0; i < c->image->channels; i++)
		if (check_channel(c, i))
			return -1;
	return 0;
}
