/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of a channel's record in an image that do not depend on other records. */
#ifndef LIMPET_IMAGE_CHANNEL_H
#define LIMPET_IMAGE_CHANNEL_H

#include <limpet/channel.h>
#include <limpet/image.h>

/* Returns whether the size is 0, for no ring, or a valid size. */
static inline bool channel_ring_fits(uint32_t size)
{
	return !size || (size >= LIMPET_CHANNEL_RING_MIN && size <= LIMPET_CHANNEL_RING_MAX &&
			 !(size & (size - 1)));
}

static inline bool channel_memory_fits(const struct limpet_image_channel *channel)
{
	if (channel->mode == LIMPET_CHANNEL_SHARED || channel->mode == LIMPET_CHANNEL_ATTACHED)
		return channel->to_linux && channel->to_linux <= LIMPET_CHANNEL_SHARED_MAX &&
		       !(channel->to_linux % LIMPET_CHANNEL_PAGE) && !channel->to_component;
	if (channel->mode == LIMPET_CHANNEL_NETWORK &&
	    (!channel->to_linux || !channel->to_component))
		return false;
	return channel_ring_fits(channel->to_linux) && channel_ring_fits(channel->to_component) &&
	       (channel->to_linux || channel->to_component);
}

static inline bool channel_access_fits(const struct limpet_image_channel *channel)
{
	bool node = channel->mode != LIMPET_CHANNEL_NETWORK &&
		    channel->mode != LIMPET_CHANNEL_ATTACHED;

	return !(channel->access & ~(node ? 0666u : 0));
}

/*
 * Returns whether the MAC address is that of one network device, and its packets fit into the rings.
 * In other modes the MTU and MAC address must be 0.
 */
static inline bool channel_network_fits(const struct limpet_image_channel *channel)
{
	uint32_t ring = channel->to_linux < channel->to_component ? channel->to_linux
								  : channel->to_component;

	if (channel->mode != LIMPET_CHANNEL_NETWORK)
		return !channel->mtu && !channel->mac;
	return channel->mtu >= LIMPET_MTU_MIN && channel->mtu <= LIMPET_MTU_MAX &&
	       channel->mtu + LIMPET_FRAME_EXTRA <= LIMPET_MESSAGE_MAX(ring) && channel->mac &&
	       !(channel->mac & 1) && !(channel->mac >> 48);
}

static inline bool channel_name_begins(const char *name, const char *with)
{
	while (*with && *name == *with)
		name++, with++;
	return !*with;
}

/* Returns whether a name is reserved: for the devices of the module, or for the channels of consoles and supervisors. */
static inline bool channel_name_reserved(const char *name)
{
	return (channel_name_begins(name, "control") && !name[7]) ||
	       (channel_name_begins(name, "guest") && !name[5]) ||
	       channel_name_begins(name, "console.") || channel_name_begins(name, "crash.");
}

/*
 * Returns whether the name can be that of a file or a network device: a letter, then a-z 0-9 - and
 * dots.
 */
static inline bool channel_name_fits(const struct limpet_image_channel *channel, const char *name)
{
	uint32_t length = 0;

	for (; name[length]; length++) {
		bool letter = name[length] >= 'a' && name[length] <= 'z';
		bool other = (name[length] >= '0' && name[length] <= '9') || name[length] == '-' ||
			     name[length] == '.';

		if (!letter && !(other && length))
			return false;
	}
	return channel->mode != LIMPET_CHANNEL_NETWORK || length < LIMPET_INTERFACE_NAME_MAX;
}

/* Returns whether a name is that of a FIFO, rtf0 to rtf63. Other channels can have such names, too. */
static inline bool channel_fifo_fits(const char *name)
{
	uint32_t number = 0, digits = 0;

	if (!channel_name_begins(name, "rtf"))
		return false;
	for (name += 3; *name >= '0' && *name <= '9' && digits < 2; name++, digits++)
		number = number * 10 + (uint32_t)(*name - '0');
	return !*name && digits && number < LIMPET_FIFOS_MAX && (digits == 1 || number >= 10);
}

#endif
