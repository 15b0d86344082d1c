// SPDX-License-Identifier: BSD-2-Clause
/* A hostile neighbour that announces itself as a router. */
#include <channel/channel.h>
#include <limpet/network.h>
#include <runtime/component.h>
#include <runtime/memory.h>
#include <runtime/print.h>

/* Ethernet, IPv6 (RFC 8200), router advertisement (RFC 4861 section 4.2) with a prefix (section 4.6.2). */
static const uint8_t advertisement[] = {
	/* to all nodes, from the router, IPv6 */
	0x33,
	0x33,
	0,
	0,
	0,
	1,
	0x02,
	0,
	0,
	0,
	0,
	1,
	0x86,
	0xdd,
	/* version, length, ICMPv6, hop limit */
	0x60,
	0,
	0,
	0,
	0,
	48,
	58,
	255,
	/* fe80::1 to ff02::1 */
	0xfe,
	0x80,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	1,
	0xff,
	0x02,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	1,
	/* type, code, checksum, hop limit, flags, lifetime of the route in seconds, timers */
	134,
	0,
	0xa7,
	0x69,
	64,
	0,
	7,
	8,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	/* prefix of 64 bits, on the link and for addresses, for an hour: 2001:db8:: */
	3,
	4,
	64,
	0xc0,
	0,
	0,
	0x0e,
	0x10,
	0,
	0,
	0x0e,
	0x10,
	0,
	0,
	0,
	0,
	0x20,
	0x01,
	0x0d,
	0xb8,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
};

#define CHECKSUM 56 /* its offset */

static struct limpet_channel channel;
static bool wrong;

static void advertise(void)
{
	struct limpet_frame *out = channel_reserve(&channel, sizeof(*out) + sizeof(advertisement));

	if (!out)
		return;
	*out = (struct limpet_frame){ .flags = LIMPET_FRAME_DATA_VALID };
	memcpy(out + 1, advertisement, sizeof(advertisement));
	if (wrong)
		((uint8_t *)(out + 1))[CHECKSUM] ^= 1;
	channel_commit(&channel, sizeof(*out) + sizeof(advertisement));
}

void component_main(const struct limpet_info *info)
{
	uint64_t length;

	if (channel_open(&channel, limpet_arg_text(info, "channel", "")) < 0) {
		limpet_print("the channel is not there\n");
		return;
	}
	wrong = limpet_arg_number(info, "wrong", 0);
	for (;;) {
		channel_wait(channel.bit);
		while (channel_peek(&channel, &length)) {
			channel_release(&channel);
			advertise();
		}
	}
}
