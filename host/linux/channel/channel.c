// SPDX-License-Identifier: GPL-2.0
/* See channel.h. */
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include <host/linux/compat.h>
#include <host/linux/channel/node.h>
#include <host/linux/parts.h>

/* Frees a node after its last file was closed. */
static void node_free(struct node *node)
{
	if (!node)
		return;
	cancel_work_sync(&node->poll_wake);
	if (node->zeroed)
		__free_page(node->zeroed);
	kfree(node);
}

static void channel_free(struct kref *refs)
{
	struct host_channel *channel = container_of(refs, struct host_channel, refs);

	node_free(channel->node);
	kfree_rcu(channel, rcu);
}

void host_channel_put(struct host_channel *channel)
{
	kref_put(&channel->refs, channel_free);
}

/* --- events */

void host_channel_wake(struct host_channels *channels, u32 cpu, u32 number)
{
	struct host_channel *channel;

	rcu_read_lock();
	channel = rcu_dereference(channels->at[cpu * CHANNELS_MAX + number]);
	if (channel)
		channel->wake(channel);
	rcu_read_unlock();
}

/* --- memory */

/* The end continues where that of an earlier Linux, or of the module before it was loaded again, has stopped. */
static void end_make(struct host_channel *channel)
{
	struct limpet_channel_header *header = channel->memory;
	char *rings = (char *)channel->memory + LIMPET_CHANNEL_PAGE;
	bool shared = channel->mode == LIMPET_CHANNEL_SHARED;

	channel->end = (struct limpet_end){
		.self = &header->host,
		.peer = &header->component,
		.out = rings + channel->to_linux,
		.in = rings,
		.out_size = channel->to_component,
		.in_size = shared ? 0 : channel->to_linux,
		.head = LIMPET_CLAIM(header->host.head),
		.tail = LIMPET_CLAIM(header->host.tail),
		.peer_generation = LIMPET_CLAIM(header->host.seen),
	};
}

int host_channel_find(struct host_channel *channel)
{
	int error = channel->memory ? 0 : channel->ops->find(channel);

	if (error || channel->end.self)
		return error;
	if (channel->pages * PAGE_SIZE <
	    LIMPET_CHANNEL_PAGE + channel->to_linux + channel->to_component)
		return -EPROTO;
	end_make(channel);
	return 0;
}
