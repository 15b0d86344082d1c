// SPDX-License-Identifier: GPL-2.0
/*
 * A network device whose other end is a component. Frames that Linux sends are put into one ring of
 * a channel. Frames in the other ring are received. Each frame is copied once.
 *
 * The channel's end is used under the lock of the only transmit queue. The link is up while both
 * sides have seen each other, and the component was not stopped since. While the interface is down,
 * this side is not started. Each time the interface comes up, this side restarts.
 *
 * Linux's users decide how long the reception of a frame takes, for example by the number of sockets that get it. So a
 * thread of ordinary priority receives frames (threaded NAPI), in pieces, and the host thread only wakes it.
 */
#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include <linux/if_vlan.h>
#include <linux/inetdevice.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/skbuff.h>
#include <linux/workqueue.h>
#include <net/addrconf.h>

#include <host/linux/compat.h>
#include <host/linux/channel/channel.h>
#include <limpet/network.h>

#define RETRY msecs_to_jiffies(20) /* time between attempts until the component has been made */

struct network {
	struct net_device *device;
	struct host_channel *channel;
	struct limpet_end *end; /* end of the channel */
	struct napi_struct napi;
	struct delayed_work begin; /* starts this side after the interface came up */
	bool started;
	u32 notified; /* last generation of this side of which the component was notified */
	u32 sleeping; /* copy of self->sleeping */
	/* The device has settings of this protocol, and routing_refuse() was done. */
	bool ipv4, ipv6;
};

static struct netdev_queue *queue_of(const struct network *net)
{
	return netdev_get_tx_queue(net->device, 0);
}

static void lock(struct network *net) __acquires(lock)
{
	__netif_tx_lock(queue_of(net), smp_processor_id());
}

static void unlock(struct network *net) __releases(lock)
{
	__netif_tx_unlock(queue_of(net));
}

static void notify(struct network *net)
{
	if (!READ_ONCE(net->channel->ended))
		net->channel->ops->notify(net->channel);
}

static void sleep_on(struct network *net, u32 what)
{
	net->sleeping = what;
	limpet_end_sleep(net->end, what);
}

/* --- the link. Called with the lock */

/*
 * Returns whether both sides have seen each other. Returns false also if the owner was stopped, or
 * its system has ended, because no component reads the ring then.
 */
static bool connected(struct network *net)
{
	struct host_channel *channel = net->channel;

	return net->started && limpet_end_connected(net->end) && !READ_ONCE(channel->ended) &&
	       host_channel_alive(channel, host_channel_stops(channel));
}

/*
 * Returns whether the link is up. Notifies the other side if this side has seen its new generation,
 * or has restarted.
 */
static bool link_look(struct network *net)
{
	u32 seen = net->end->peer_generation;
	bool on = connected(net);

	if (net->end->peer_generation != seen || net->end->generation != net->notified) {
		net->notified = net->end->generation;
		net->end->must_notify = false; /* the notification is sent here */
		notify(net);
	}
	if (on == netif_carrier_ok(net->device))
		return on;
	if (on)
		netif_carrier_on(net->device);
	else
		netif_carrier_off(net->device);
	return on;
}

/* --- to the component */

static bool has_space(struct network *net)
{
	return limpet_end_reserve(net->end, LIMPET_FRAME_MAX(net->channel->mtu));
}

static void frame_write(struct network *net, struct limpet_frame *frame, const struct sk_buff *skb)
{
	*frame = (struct limpet_frame){ 0 };
	if (skb->ip_summed != CHECKSUM_PARTIAL) {
		skb_copy_bits(skb, 0, frame + 1, skb->len);
	} else if (LIMPET_CLAIM(net->end->peer->takes) & LIMPET_TAKES_CSUM) {
		frame->flags = LIMPET_FRAME_NEEDS_CSUM;
		frame->csum_start = skb_checksum_start_offset(skb);
		frame->csum_offset = skb->csum_offset;
		skb_copy_bits(skb, 0, frame + 1, skb->len);
	} else {
		skb_copy_and_csum_dev(skb, (u8 *)(frame + 1));
	}
}

static bool frame_send(struct network *net, const struct sk_buff *skb)
{
	const u64 length = sizeof(struct limpet_frame) + skb->len;
	void *message = NULL;

	if (length <= LIMPET_FRAME_MAX(net->channel->mtu) && connected(net))
		message = limpet_end_reserve(net->end, length);
	if (!message)
		return false;
	frame_write(net, message, skb);
	limpet_end_commit(net->end, length);
	return true;
}

/*
 * Stops the queue until the ring has space for the longest frame. The second check prevents a lost
 * wake-up.
 */
static void queue_stop(struct network *net)
{
	netif_tx_stop_queue(queue_of(net));
	sleep_on(net, net->sleeping | LIMPET_SLEEP_SPACE);
	if (!has_space(net))
		return;
	sleep_on(net, net->sleeping & ~LIMPET_SLEEP_SPACE);
	netif_tx_start_queue(queue_of(net));
}

static void queue_look(struct network *net)
{
	if (!(net->sleeping & LIMPET_SLEEP_SPACE) || !has_space(net))
		return;
	sleep_on(net, net->sleeping & ~LIMPET_SLEEP_SPACE);
	netif_tx_wake_queue(queue_of(net));
}

static netdev_tx_t network_transmit(struct sk_buff *skb, struct net_device *device)
{
	struct network *net = netdev_priv(device);
	bool sent = frame_send(net, skb);

	if (unlikely(!sent)) {
		device->stats.tx_dropped++;
		napi_schedule(&net->napi); /* the link may have changed */
		dev_kfree_skb_any(skb);
		return NETDEV_TX_OK;
	}
	device->stats.tx_packets++;
	device->stats.tx_bytes += skb->len;
	consume_skb(skb);
	if (unlikely(!has_space(net)))
		queue_stop(net);
	if ((!netdev_xmit_more() || netif_xmit_stopped(queue_of(net))) &&
	    limpet_end_wanted(net->end, LIMPET_SLEEP_DATA))
		notify(net);
	return NETDEV_TX_OK;
}

/* --- from the component */

static bool checksum_set(struct network *net, struct sk_buff *skb, const struct limpet_frame *frame)
{
	if (frame->flags & LIMPET_FRAME_NEEDS_CSUM)
		return skb_partial_csum_set(skb, frame->csum_start, frame->csum_offset);
	if (frame->flags & LIMPET_FRAME_DATA_VALID && net->device->features & NETIF_F_RXCSUM)
		skb->ip_summed = CHECKSUM_UNNECESSARY;
	return true;
}

/* Returns a checked copy of the component's frame, or NULL if it is invalid or memory is short. */
static struct sk_buff *frame_read(struct network *net, const void *message, u64 length)
{
	struct limpet_frame frame;
	struct sk_buff *skb;

	if (length < sizeof(frame) + ETH_HLEN || length > LIMPET_FRAME_MAX(net->channel->mtu)) {
		net->device->stats.rx_length_errors++;
		return NULL;
	}
	length -= sizeof(frame);
	skb = napi_alloc_skb(&net->napi, length);
	if (!skb) {
		net->device->stats.rx_dropped++;
		return NULL;
	}
	memcpy(&frame, message, sizeof(frame));
	skb_put_data(skb, (const u8 *)message + sizeof(frame), length);
	if (!checksum_set(net, skb, &frame)) {
		net->device->stats.rx_frame_errors++;
		kfree_skb(skb);
		return NULL;
	}
	skb->protocol = eth_type_trans(skb, net->device);
	net->device->stats.rx_packets++;
	net->device->stats.rx_bytes += length;
	return skb;
}

/*
 * Takes the next message. Returns false if there is none. Sets *skb to NULL if the message is not a
 * valid frame.
 */
static bool frame_receive(struct network *net, struct sk_buff **skb)
{
	const void *message = NULL;
	u64 length;

	lock(net);
	if (connected(net))
		message = limpet_end_peek(net->end, &length);
	if (message) {
		*skb = frame_read(net, message, length);
		limpet_end_release(net->end);
	}
	unlock(net);
	return message;
}

/*
 * Receives frames until a more urgent thread must run, which waits for the end of this piece. GRO delivers several
 * frames in one piece. Frames to a group are delivered alone, because each can go to any number of sockets.
 */
static int frames_receive(struct network *net, int budget)
{
	struct sk_buff *skb;
	int done = 0;

	while (done < budget && (!done || !need_resched()) && frame_receive(net, &skb)) {
		done++;
		if (skb && is_multicast_ether_addr(eth_hdr(skb)->h_dest))
			netif_receive_skb(skb);
		else if (skb)
			napi_gro_receive(&net->napi, skb);
	}
	return done;
}

/*
 * Ends a poll. Both sides check the rings before they wait, so a later event schedules the next
 * poll.
 */
static bool poll_end(struct network *net)
{
	bool more;

	lock(net);
	sleep_on(net, net->sleeping | LIMPET_SLEEP_DATA);
	more = link_look(net) && limpet_end_used(net->end);
	/* Invalid words have restarted this side. */
	more |= net->end->generation != net->notified;
	unlock(net);
	return !more;
}

static int network_poll(struct napi_struct *napi, int budget)
{
	struct network *net = container_of(napi, struct network, napi);
	int done;

	if (!READ_ONCE(net->started)) {
		napi_complete_done(napi, 0);
		return 0;
	}
	lock(net);
	if (link_look(net)) {
		sleep_on(net, net->sleeping & ~LIMPET_SLEEP_DATA);
		queue_look(net);
	}
	unlock(net);
	done = frames_receive(net, budget);
	if (done && limpet_end_wanted(net->end, LIMPET_SLEEP_SPACE))
		notify(net);
	if (done == budget || !poll_end(net))
		return budget;
	napi_complete_done(napi, done);
	return done;
}

/*
 * The component notified or was stopped, or the system ended. The caller can be the host thread, in the place of
 * components. So this only wakes the thread that polls.
 */
static void network_wake(struct host_channel *channel)
{
	napi_schedule(&channel->network->napi);
}

/* --- the interface */

static void begin(struct network *net)
{
	const u32 own = net->end->generation, said = LIMPET_CLAIM(net->end->self->generation);

	net->end->self->takes = LIMPET_TAKES_CSUM;
	limpet_end_begin(net->end, limpet_generation_after(max(own, said)));
	sleep_on(net, LIMPET_SLEEP_DATA);
	net->notified = net->end->generation;
	net->started = true;
	netif_tx_start_queue(queue_of(net));
}

static void begin_work(struct work_struct *work)
{
	struct network *net = container_of(to_delayed_work(work), struct network, begin);

	int error = host_channel_find(net->channel);

	if (error == -ENXIO)
		schedule_delayed_work(&net->begin, RETRY);
	else if (error)
		netdev_err(net->device, "no channel: error %d\n", -error);
	if (error)
		return;
	local_bh_disable();
	lock(net);
	begin(net);
	unlock(net);
	local_bh_enable();
	notify(net);
	network_wake(net->channel);
}

static int network_open(struct net_device *device)
{
	struct network *net = netdev_priv(device);

	napi_enable(&net->napi);
	schedule_delayed_work(&net->begin, 0);
	return 0;
}

/* Ends this side. The other side then sees that it is not connected. */
static void end_leave(struct network *net)
{
	local_bh_disable();
	lock(net);
	net->started = false;
	LIMPET_SAY(net->end->self->generation, 0u);
	unlock(net);
	local_bh_enable();
	notify(net);
}

static int network_stop(struct net_device *device)
{
	struct network *net = netdev_priv(device);

	cancel_delayed_work_sync(&net->begin);
	napi_disable(&net->napi);
	netif_tx_disable(device);
	if (net->started)
		end_leave(net);
	netif_carrier_off(device);
	return 0;
}

static void network_driver(struct net_device *device, struct ethtool_drvinfo *info)
{
	struct network *net = netdev_priv(device);

	strscpy(info->driver, "limpet", sizeof(info->driver));
	snprintf(info->bus_info, sizeof(info->bus_info), "channel %u.%u", net->channel->cpu,
		 net->channel->number);
}

static const struct net_device_ops operations = {
	.ndo_open = network_open,
	.ndo_stop = network_stop,
	.ndo_start_xmit = network_transmit,
	.ndo_validate_addr = eth_validate_addr,
	.ndo_set_mac_address = eth_mac_addr,
};

static const struct ethtool_ops ethtool_operations = {
	.get_drvinfo = network_driver,
	.get_link = ethtool_op_get_link,
};

static void device_setup(struct net_device *device, const struct host_channel *channel)
{
	device->netdev_ops = &operations;
	device->ethtool_ops = &ethtool_operations;
	device->mtu = channel->mtu;
	device->max_mtu = channel->mtu;
	device->hw_features = NETIF_F_SG | NETIF_F_FRAGLIST | NETIF_F_HW_CSUM | NETIF_F_RXCSUM;
	device->features = device->hw_features | NETIF_F_HIGHDMA;
	eth_hw_addr_set(device, channel->mac);
	netif_carrier_off(device);
}

static void ipv4_refuse(struct in_device *settings)
{
	IN_DEV_CONF_SET(settings, ACCEPT_REDIRECTS, 0);
	IN_DEV_CONF_SET(settings, ACCEPT_SOURCE_ROUTE, 0);
}

static void ipv6_refuse(struct inet6_dev *settings)
{
	WRITE_ONCE(settings->cnf.accept_ra, 0);
	WRITE_ONCE(settings->cnf.accept_redirects, 0);
	WRITE_ONCE(settings->cnf.accept_source_route, -1);
}

/*
 * Makes the component a neighbour, but not a router: it cannot assign addresses or routes to Linux.
 * Called after each change of any device, with the RTNL lock. Settings are new after registration,
 * and after the MTU was too small for IPv6. Older settings do not change, because the administrator
 * may have set them.
 */
static int routing_refuse(struct notifier_block *changes, unsigned long event, void *change)
{
	struct net_device *device = netdev_notifier_info_to_dev(change);
	struct network *net = netdev_priv(device);
	struct in_device *ipv4 = __in_dev_get_rtnl(device);
	struct inet6_dev *ipv6 = __in6_dev_get(device);

	if (device->netdev_ops != &operations)
		return NOTIFY_DONE;
	if (ipv4 && !net->ipv4)
		ipv4_refuse(ipv4);
	if (ipv6 && !net->ipv6)
		ipv6_refuse(ipv6);
	net->ipv4 = ipv4;
	net->ipv6 = ipv6;
	return NOTIFY_DONE;
}

/* After the notifiers of IPv4 and IPv6, which make the settings. */
struct notifier_block network_changes = { .notifier_call = routing_refuse, .priority = INT_MIN };

int network_create(struct host_channel *channel)
{
	struct net_device *device =
		alloc_netdev(sizeof(struct network), channel->name, NET_NAME_USER, ether_setup);
	struct network *net;
	int error;

	if (!device)
		return -ENOMEM;
	net = netdev_priv(device);
	*net = (struct network){
		.device = device,
		.channel = channel,
		.end = &channel->end,
	};
	INIT_DELAYED_WORK(&net->begin, begin_work);
	device_setup(device, channel);
	netif_napi_add(device, &net->napi, network_poll);
	netif_threaded_enable(device);
	channel->network = net;
	channel->wake = network_wake;
	error = device->threaded ? register_netdev(device) : -ENOMEM;
	if (error)
		free_netdev(device);
	return error;
}

/* Waits for grace periods once for all devices, because each one takes milliseconds. */
void networks_destroy(struct host_channels *channels)
{
	struct host_channel *channel;
	LIST_HEAD(devices);

	rtnl_lock();
	list_for_each_entry(channel, &channels->list, list)
		if (channel->network)
			unregister_netdevice_queue(channel->network->device, &devices);
	unregister_netdevice_many(&devices);
	rtnl_unlock();
	list_for_each_entry(channel, &channels->list, list)
		if (channel->network)
			__netif_napi_del(&channel->network->napi);
	synchronize_net();
	list_for_each_entry(channel, &channels->list, list)
		if (channel->network)
			free_netdev(channel->network->device);
}
