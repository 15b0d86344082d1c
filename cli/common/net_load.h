/* SPDX-License-Identifier: GPL-2.0 */
/* Counters of a network device, which are the loads of a channel of mode NETWORK. Linux counts them. */
#ifndef CLI_NET_LOAD_H
#define CLI_NET_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include <cli/common/image.h>

/* The directions are those of the channel: what the device receives, its component has sent to Linux. */
struct net_load {
	bool known;
	uint64_t to_linux_bytes, to_linux_packets, to_component_bytes, to_component_packets;
	uint64_t dropped; /* packets in both directions */
};

/*
 * Reads the counters of a channel below `root`, which is "" for this machine. They are unknown for other modes, and if
 * the device does not exist.
 */
struct net_load net_load_read(const char *root, const struct image *image,
			      const struct limpet_image_channel *channel);

#endif
