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
	struct host_channel *c = container_of(refs, struct host_channel, refs);

	node_free(c->node);
	kfree_rcu(c, rcu);
}

void host_channel_put(struct host_channel *c)
{
	kref_put(&c->refs, channel_free);
}

/* --- events */

void host_channel_wake(struct host_channels *channels, u32 cpu, u32 number)
{
	struct host_channel *c;

	rcu_read_lock();
	c = rcu_dereference(channels->at[cpu * CHANNELS_MAX + number]);
	if (c)
		c->wake(c);
	rcu_read_unlock();
}

/* --- memory */

/* The end continues where that of an earlier Linux, or of the module before it was loaded again, has stopped. */
static void end_make(struct host_channel *c)
{
	struct limpet_channel_header *header = c->memory;
	char *rings = (char *)c->memory + LIMPET_CHANNEL_PAGE;
	bool shared = c->mode == LIMPET_CHANNEL_SHARED;

	c->end = (struct limpet_end){
		.self = &header->host,
		.peer = &header->component,
		.out = rings + c->to_linux,
		.in = rings,
		.out_size = c->to_component,
		.in_size = shared ? 0 : c->to_linux,
		.head = LIMPET_CLAIM(header->host.head),
		.tail = LIMPET_CLAIM(header->host.tail),
		.peer_generation = LIMPET_CLAIM(header->host.seen),
	};
}

int host_channel_find(struct host_channel *c)
{
	int error = c->memory ? 0 : c->ops->find(c);

	if (error || c->end.self)
		return error;
	if (c->pages * PAGE_SIZE < LIMPET_CHANNEL_PAGE + c->to_linux + c->to_component)
		return -EPROTO;
	end_make(c);
	return 0;
}
