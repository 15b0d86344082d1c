// SPDX-License-Identifier: BSD-2-Clause
/* Broadcasts without end. Linux delivers each one to all sockets of the port. */
#include <channel/channel.h>
#include <limpet/network.h>
#include <runtime/component.h>
#include <runtime/memory.h>
#include <runtime/time.h>

#include <import/sched.h>

#define PERIOD_US 20000
#define BURST 32

/* From 0.0.0.0 to 255.255.255.255, so it is valid in each network. A UDP checksum of 0 is not checked. */
static const uint8_t broadcast[58] =
	/* Ethernet: to all, from the component, IPv4 */
	"\xff\xff\xff\xff\xff\xff\x02\x00\x00\x00\x00\x02\x08\x00"
	/* IPv4: 44 bytes, 64 hops, UDP, checksum, addresses */
	"\x45\x00\x00\x2c\x00\x00\x00\x00\x40\x11\x7a\xc2\x00\x00\x00\x00\xff\xff\xff\xff"
	/* UDP: ports, 24 bytes */
	"\x27\x0f\x27\x0f\x00\x18";

static struct limpet_channel channel;

/* Linux is notified once for the whole burst. */
static void burst_send(void)
{
	const uint64_t length = sizeof(struct limpet_frame) + sizeof(broadcast);

	for (unsigned int i = 1; i <= BURST; i++) {
		struct limpet_frame *out = channel_reserve(&channel, length);

		if (!out)
			break;
		*out = (struct limpet_frame){ 0 };
		memcpy(out + 1, broadcast, sizeof(broadcast));
		channel_commit_more(&channel, length);
	}
	channel_notify_if_wanted(&channel, LIMPET_SLEEP_DATA);
}

void component_main(const struct limpet_info *info)
{
	(void)info;
	if (channel_open_argument(&channel))
		return;
	sched_periodic(limpet_us_to_ticks(PERIOD_US), 0);
	for (;;) {
		word due;

		sched_periodic_wait(&due);
		burst_send();
	}
}
