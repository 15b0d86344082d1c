/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the messages of a channel of mode NETWORK are, and of one that leads to `limpet tun`: Ethernet frames,
 * each after one struct limpet_frame. All that stands in either is the other side's claim.
 *
 * Checksums of TCP and UDP can be left out between Linux and a component, or left to the side that has the
 * hardware: each side says in struct limpet_side what it takes; the other one then may, and need not, use it.
 */
#ifndef LIMPET_NETWORK_H
#define LIMPET_NETWORK_H

#include <limpet/channel.h>

/* What stands in `takes`. */
#define LIMPET_TAKES_CSUM 1u /* frames whose flags are not 0 */

/* As of virtio's network devices. */
struct limpet_frame {
	uint16_t flags;	     /* LIMPET_FRAME_... */
	uint16_t csum_start; /* NEEDS_CSUM: the sum is of the bytes of the frame from here to its end, */
	uint16_t csum_offset; /* and belongs so many bytes behind, where that of the pseudo header is */
	uint16_t reserved; /* 0 */
};

#define LIMPET_FRAME_NEEDS_CSUM 1u /* the checksum is to be finished, or was never in danger */
#define LIMPET_FRAME_DATA_VALID 2u /* the checksum was looked at and is right */

/* The longest message there can be: the frame has an Ethernet header and a VLAN's tag. */
#define LIMPET_FRAME_MAX(mtu) (sizeof(struct limpet_frame) + 18 + (mtu))

#endif
