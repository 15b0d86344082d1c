// SPDX-License-Identifier: BSD-2-Clause
/*
 * The network card: Ethernet frames in messages of a channel, see <limpet/network.h>. A received
 * frame is copied once into lwIP's memory. Linux can change the frame in the ring, so lwIP must not
 * parse it there.
 */
#include <lwip/etharp.h>
#include <lwip/ethip6.h>
#include <lwip/netif.h>
#include <lwip/priv/tcp_priv.h>
#include <netif/ethernet.h>

#include <channel/channel.h>
#include <limpet/network.h>
#include <runtime/memory.h>

#include "net.h"

#define BATCH 16 /* frames before other threads get the lock */
#define FRAME_MIN 14
#define SUMS_OF_DATA (NETIF_CHECKSUM_CHECK_UDP | NETIF_CHECKSUM_CHECK_TCP)

struct netif link_netif;
struct link_figures link_figures;

static struct limpet_channel channel;
static uint32_t peer; /* generation of Linux's side; 0: not connected */
static bool full;     /* a frame could not be sent */

static err_t frame_send(struct netif *netif, struct pbuf *p)
{
	uint64_t length = sizeof(struct limpet_frame) + p->tot_len;
	struct limpet_frame *frame;

	(void)netif;
	if (!peer || length > channel_max(&channel))
		return ERR_IF;
	frame = channel_reserve(&channel, length);
	if (!frame) {
		full = true;
		link_figures.ring_full++;
		return ERR_MEM;
	}
	*frame = (struct limpet_frame){ 0 };
	pbuf_copy_partial(p, frame + 1, p->tot_len, 0);
	channel_commit(&channel, length);
	link_figures.sent++;
	link_figures.sent_bytes += p->tot_len;
	return ERR_OK;
}

/* Skips the check of TCP and UDP checksums if Linux has omitted or already checked them. */
static void sums_expect(uint16_t flags)
{
	bool looked = flags & (LIMPET_FRAME_NEEDS_CSUM | LIMPET_FRAME_DATA_VALID);

	NETIF_SET_CHECKSUM_CTRL(&link_netif, looked ? NETIF_CHECKSUM_ENABLE_ALL & ~SUMS_OF_DATA
						    : NETIF_CHECKSUM_ENABLE_ALL);
}

static void frame_take(const struct limpet_frame *frame, uint64_t length)
{
	uint64_t size = length - sizeof(*frame);
	uint16_t flags = LIMPET_CLAIM(frame->flags);
	struct pbuf *p;

	if (length < sizeof(*frame) + FRAME_MIN || length > LIMPET_FRAME_MAX(LIMPET_MTU_MAX)) {
		link_figures.bad++;
		return;
	}
	p = pbuf_alloc(PBUF_RAW, (u16_t)size, PBUF_POOL);
	if (!p) {
		link_figures.no_memory++;
		return;
	}
	pbuf_take(p, frame + 1, (u16_t)size);
	link_figures.received++;
	link_figures.received_bytes += size;
	sums_expect(flags);
	if (link_netif.input(p, &link_netif) != ERR_OK)
		pbuf_free(p);
}

/* Follows Linux's side of the channel: it can connect, disconnect or restart. */
static void peer_look(void)
{
	uint32_t now = channel_peer(&channel);

	if (now == peer)
		return;
	if (peer)
		link_figures.lost++;
	peer = now;
	full = false;
	netif_set_link_down(&link_netif);
	if (now)
		netif_set_link_up(&link_netif);
}

/* Passes received frames to lwIP. Returns their number. */
static unsigned int frames_take(void)
{
	const struct limpet_frame *frame;
	unsigned int taken = 0;
	uint64_t length;

	peer_look();
	for (; taken < BATCH; taken++) {
		frame = channel_peek(&channel, &length);
		if (!frame)
			break;
		frame_take(frame, length);
		channel_release(&channel);
	}
	PBUF_CHECK_FREE_OOSEQ();
	return taken;
}

/* Sends the frames for which the ring had no space before. */
static void send_again(void)
{
	if (!full)
		return;
	full = false;
	tcp_txnow();
}

/* Releases the lock after each batch, so that other threads can run while many frames arrive. */
bool link_turn(void)
{
	unsigned int taken;

	core_enter();
	send_again();
	taken = frames_take();
	if (!taken) {
		limpet_end_sleep(&channel.end, LIMPET_SLEEP_DATA | (full ? LIMPET_SLEEP_SPACE : 0));
		taken = frames_take();
	}
	if (taken)
		limpet_end_sleep(&channel.end, 0);
	core_leave(LIMPET_OK);
	return taken;
}

static long channel_number(const char *name, unsigned int *index)
{
	const struct limpet_info_channel *info = (const void *)limpet_info()->channel_info;

	for (*index = 0; *index < limpet_info()->channels; ++*index)
		if (!name || strcmp(info[*index].name, name) == 0)
			return LIMPET_OK;
	return LIMPET_ENOENT;
}

/* Announces the supported features before it opens the channel. */
static long link_open(const char *name)
{
	const struct limpet_info_channel *info = (const void *)limpet_info()->channel_info;
	struct limpet_channel_header *header;
	unsigned int index;
	long status = channel_number(name, &index);

	if (status)
		return status;
	header = (struct limpet_channel_header *)info[index].address;
	header->component.takes = LIMPET_TAKES_CSUM;
	if (info[index].mtu)
		link_netif.mtu = (u16_t)info[index].mtu;
	link_netif.mtu6 = link_netif.mtu;
	return channel_open_index(&channel, index);
}

long link_begin(const char *name)
{
	core_enter();
	return core_leave(link_open(name));
}

static err_t card_begin(struct netif *netif)
{
	netif->name[0] = 'l';
	netif->name[1] = 'i';
	netif->mtu = LIMPET_MTU_MAX;
	netif->output = etharp_output;
	netif->output_ip6 = ethip6_output;
	netif->linkoutput = frame_send;
	netif->flags = NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP | NETIF_FLAG_ETHERNET |
		       NETIF_FLAG_MLD6;
	return ERR_OK;
}

long link_setup(void)
{
	if (!netif_add_noaddr(&link_netif, NULL, card_begin, ethernet_input))
		return LIMPET_ENOMEM;
	netif_set_default(&link_netif);
	return LIMPET_OK;
}
