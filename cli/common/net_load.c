// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>

#include <limpet/channel.h>

#include <cli/common/net_load.h>
#include <cli/common/text.h>

static bool count_read(const char *root, const char *device, const char *name, uint64_t *count)
{
	char path[128];
	long number;

	snprintf(path, sizeof(path), "/sys/class/net/%s/statistics/%s", device, name);
	if (!text_read_number(root, path, &number))
		return false;
	*count = (uint64_t)number;
	return true;
}

struct net_load net_load_read(const char *root, const struct image *image,
			      const struct limpet_image_channel *channel)
{
	const char *device = image_string(image, channel->name);
	struct net_load load = { 0 };
	uint64_t received, sent;

	if (channel->mode != LIMPET_CHANNEL_NETWORK)
		return load;
	load.known = count_read(root, device, "rx_bytes", &load.to_linux_bytes) &&
		     count_read(root, device, "rx_packets", &load.to_linux_packets) &&
		     count_read(root, device, "tx_bytes", &load.to_component_bytes) &&
		     count_read(root, device, "tx_packets", &load.to_component_packets) &&
		     count_read(root, device, "rx_dropped", &received) &&
		     count_read(root, device, "tx_dropped", &sent);
	if (!load.known)
		return (struct net_load){ 0 };
	load.dropped = received + sent;
	return load;
}
