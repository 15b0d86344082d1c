// SPDX-License-Identifier: GPL-2.0
/*
 * A network device whose other end is a component: what Linux sends is put into one ring of a channel, and what
 * stands in the other one has been received. One copy each way.
 *
 * All of the channel's end is used under the lock of the only transmit queue. The link is up while both sides
 * have seen each other and the component was not stopped since; while the interface is down this side is not
 * there, and each time that it comes up it begins anew.
 */
#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include <linux/if_vlan.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/workqueue.h>

#include "network.h"
#include <lib/channel/end.h>
#include <limpet/network.h>

#define RETRY msecs_to_jiffies(20) /* until the component has made the channel */

struct network {
	struct net_device *device;
	struct network_setup setup;
	struct napi_struct napi;
	struct delayed_work attach;
	struct limpet_channel_header *header; /* NULL: not yet */
	struct limpet_end end;
	u32 generation; /* of this side, when it was last there */
	u32 sleeping;	/* what stands in self->sleeping */
};

static struct netdev_queue *queue_of(struct network *n)
{
	return netdev_get_tx_queue(n->device, 0);
}

static void lock(struct network *n)
{
	__netif_tx_lock(queue_of(n), smp_processor_id());
}

static void unlock(struct network *n)
{
	__netif_tx_unlock(queue_of(n));
}

static void notify(struct network *n)
{
	n->setup.operations->notify(n->setup.channel);
}

static void sleep_on(struct network *n, u32 what)
{
	n->sleeping = what;
	limpet_end_sleep(&n->end, what);
}

/* --- the link. Called with the lock */

/* A component makes its generation of how often it was stopped: nobody is behind an older one. */
static bool is_alive(const struct network *n)
{
	u32 stops = n->setup.operations->stops(n->setup.channel);

	return n->end.peer_generation >> 16 == (u16)(stops + 1);
}

static bool connected(struct network *n)
{
	return n->end.generation && limpet_end_connected(&n->end) && is_alive(n);
}

/* Whether frames can pass; the other side is told when this one has newly seen it. */
static bool link_look(struct network *n)
{
	u32 seen = n->end.peer_generation;
	bool on = connected(n);

	if (n->end.peer_generation != seen)
		notify(n);
	if (on == netif_carrier_ok(n->device))
		return on;
	if (on)
		netif_carrier_on(n->device);
	else
		netif_carrier_off(n->device);
	return on;
}

/* --- to the component */

static bool has_room(struct network *n)
{
	return limpet_end_reserve(&n->end, LIMPET_FRAME_MAX(n->setup.mtu));
}

static void frame_write(struct network *n, struct limpet_frame *frame, const struct sk_buff *skb)
{
	*frame = (struct limpet_frame){ 0 };
	if (skb->ip_summed != CHECKSUM_PARTIAL) {
		skb_copy_bits(skb, 0, frame + 1, skb->len);
	} else if (LIMPET_CLAIM(n->end.peer->takes) & LIMPET_TAKES_CSUM) {
		frame->flags = LIMPET_FRAME_NEEDS_CSUM;
		frame->csum_start = skb_checksum_start_offset(skb);
		frame->csum_offset = skb->csum_offset;
		skb_copy_bits(skb, 0, frame + 1, skb->len);
	} else {
		skb_copy_and_csum_dev(skb, (u8 *)(frame + 1));
	}
}

static bool frame_send(struct network *n, const struct sk_buff *skb)
{
	u64 length = sizeof(struct limpet_frame) + skb->len;
	void *message = NULL;

	if (length <= LIMPET_FRAME_MAX(n->setup.mtu) && connected(n))
		message = limpet_end_reserve(&n->end, length);
	if (!message)
		return false;
	frame_write(n, message, skb);
	limpet_end_commit(&n->end, length);
	return true;
}

/* Nothing more is sent until there is room for the longest frame; who looks once more cannot miss that. */
static void queue_stop(struct network *n)
{
	netif_tx_stop_queue(queue_of(n));
	sleep_on(n, n->sleeping | LIMPET_SLEEP_SPACE);
	if (!has_room(n))
		return;
	sleep_on(n, n->sleeping & ~LIMPET_SLEEP_SPACE);
	netif_tx_start_queue(queue_of(n));
}

static void queue_look(struct network *n)
{
	if (!(n->sleeping & LIMPET_SLEEP_SPACE) || !has_room(n))
		return;
	sleep_on(n, n->sleeping & ~LIMPET_SLEEP_SPACE);
	netif_tx_wake_queue(queue_of(n));
}

static netdev_tx_t network_transmit(struct sk_buff *skb, struct net_device *device)
{
	struct network *n = netdev_priv(device);
	bool sent = frame_send(n, skb);

	if (unlikely(!sent)) {
		device->stats.tx_dropped++;
		napi_schedule(&n->napi); /* the link may have changed */
		dev_kfree_skb_any(skb);
		return NETDEV_TX_OK;
	}
	device->stats.tx_packets++;
	device->stats.tx_bytes += skb->len;
	consume_skb(skb);
	if (unlikely(!has_room(n)))
		queue_stop(n);
	if ((!netdev_xmit_more() || netif_xmit_stopped(queue_of(n))) &&
	    limpet_end_wanted(&n->end, LIMPET_SLEEP_DATA))
		notify(n);
	return NETDEV_TX_OK;
}

/* --- from the component */

static bool checksum_set(struct network *n, struct sk_buff *skb, const struct limpet_frame *frame)
{
	if (frame->flags & LIMPET_FRAME_NEEDS_CSUM)
		return skb_partial_csum_set(skb, frame->csum_start, frame->csum_offset);
	if (frame->flags & LIMPET_FRAME_DATA_VALID && n->device->features & NETIF_F_RXCSUM)
		skb->ip_summed = CHECKSUM_UNNECESSARY;
	return true;
}

/* A copy of what the component claims to be a frame, or NULL. */
static struct sk_buff *frame_read(struct network *n, const void *message, u64 length)
{
	struct limpet_frame frame;
	struct sk_buff *skb;

	if (length < sizeof(frame) + ETH_HLEN || length > LIMPET_FRAME_MAX(n->setup.mtu)) {
		n->device->stats.rx_length_errors++;
		return NULL;
	}
	length -= sizeof(frame);
	skb = napi_alloc_skb(&n->napi, length);
	if (!skb) {
		n->device->stats.rx_dropped++;
		return NULL;
	}
	memcpy(&frame, message, sizeof(frame));
	skb_put_data(skb, (const u8 *)message + sizeof(frame), length);
	if (!checksum_set(n, skb, &frame)) {
		n->device->stats.rx_frame_errors++;
		kfree_skb(skb);
		return NULL;
	}
	skb->protocol = eth_type_trans(skb, n->device);
	n->device->stats.rx_packets++;
	n->device->stats.rx_bytes += length;
	return skb;
}

/* The next message is taken; false: there is none. `*skb` NULL: it was no frame. */
static bool frame_receive(struct network *n, struct sk_buff **skb)
{
	const void *message = NULL;
	u64 length;

	lock(n);
	if (connected(n))
		message = limpet_end_peek(&n->end, &length);
	if (message) {
		*skb = frame_read(n, message, length);
		limpet_end_release(&n->end);
	}
	unlock(n);
	return message;
}

static int frames_receive(struct network *n, int budget)
{
	struct sk_buff *skb;
	int done = 0;

	for (; done < budget && frame_receive(n, &skb); done++)
		if (skb)
			napi_gro_receive(&n->napi, skb);
	return done;
}

/* Both sides look before they wait; events that come from here on schedule the next poll. */
static bool poll_end(struct network *n)
{
	bool more;

	lock(n);
	sleep_on(n, n->sleeping | LIMPET_SLEEP_DATA);
	more = link_look(n) && limpet_end_used(&n->end);
	unlock(n);
	return !more;
}

static int network_poll(struct napi_struct *napi, int budget)
{
	struct network *n = container_of(napi, struct network, napi);
	int done;

	lock(n);
	if (n->end.generation && link_look(n)) {
		sleep_on(n, n->sleeping & ~LIMPET_SLEEP_DATA);
		queue_look(n);
	}
	unlock(n);
	done = frames_receive(n, budget);
	if (done && limpet_end_wanted(&n->end, LIMPET_SLEEP_SPACE))
		notify(n);
	if (done == budget || !n->end.generation || !poll_end(n))
		return n->end.generation ? budget : 0;
	napi_complete_done(napi, done);
	return done;
}

void network_notified(struct network *n)
{
	if (in_hardirq()) {
		napi_schedule(&n->napi);
		return;
	}
	local_bh_disable();
	napi_schedule(&n->napi);
	local_bh_enable(); /* it runs here */
}

/* --- the interface */

static void end_begin(struct network *n)
{
	struct limpet_channel_header *header = n->header;
	char *rings = (char *)header + LIMPET_CHANNEL_PAGE;

	n->end = (struct limpet_end){
		.self = &header->host,
		.peer = &header->component,
		.in = rings,
		.in_size = n->setup.to_linux,
		.out = rings + n->setup.to_linux,
		.out_size = n->setup.to_component,
	};
	n->generation = max(n->generation, header->host.generation) + 1 ?: 1;
	header->host.takes = LIMPET_TAKES_CSUM;
	limpet_end_begin(&n->end, n->generation);
	sleep_on(n, LIMPET_SLEEP_DATA);
}
