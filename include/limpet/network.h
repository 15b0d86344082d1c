/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages of a channel of mode NETWORK, and of a channel that `limpet tun` uses: Ethernet frames,
 * each after one struct limpet_frame. The receiver checks the fields of both.
 *
 * A frame between Linux and a component need not have its TCP or UDP checksum computed. Each side
 * states in struct limpet_side which frames it accepts. The other side may use this, but need not.
 */
#ifndef LIMPET_NETWORK_H
#define LIMPET_NETWORK_H

#include <limpet/channel.h>

/* Bits of `takes` in struct limpet_side. */
#define LIMPET_TAKES_CSUM 1u /* accepts frames whose flags are not 0 */

/* The fields have the meaning of those of virtio's network devices. */
struct limpet_frame {
	uint16_t flags;	     /* LIMPET_FRAME_... */
	uint16_t csum_start; /* NEEDS_CSUM: the checksum covers the frame from this offset to the end */
	uint16_t csum_offset; /* of the checksum from csum_start; it contains the pseudo header's sum */
	uint16_t reserved; /* 0 */
};

/* The checksum is incomplete. It must be completed before the frame is sent on a wire. */
#define LIMPET_FRAME_NEEDS_CSUM 1u
#define LIMPET_FRAME_DATA_VALID 2u /* the checksum was verified and is correct */

/* Returns the length of the longest message: the frame has an Ethernet header and a VLAN tag. */
#define LIMPET_FRAME_MAX(mtu) (sizeof(struct limpet_frame) + 18 + (mtu))

#endif
