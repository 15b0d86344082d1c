/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Loads of channels: Linux counts those of a network device, and both sides of another channel count the bytes in its
 * rings.
 */
#ifndef CLI_CHANNEL_LOAD_H
#define CLI_CHANNEL_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include <cli/common/image.h>

/* The directions are those of the channel: what a network device receives, its component has sent to Linux. */
struct channel_load {
	bool known;
	bool has_packets; /* a network device, which has the packets and `dropped` */
	/* Of the component and of Linux. A side counts from 0 in each. */
	uint32_t generation[2];
	uint64_t to_linux_bytes, to_component_bytes;
	uint64_t to_linux_packets, to_component_packets;
	uint64_t dropped; /* packets in both directions */
};

/*
 * Reads the counters of a channel below `root`, which is "" for this machine. They are unknown for modes SHARED and
 * FIFO, if the channel or the device does not exist, and without permission.
 */
struct channel_load channel_load_read(const char *root, const struct image *image,
				      const struct limpet_image_channel *channel);

/* Returns whether the counters of `after` have gone on from those of `before`. */
bool channel_load_continues(const struct channel_load *before, const struct channel_load *after);

#endif
