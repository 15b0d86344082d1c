// SPDX-License-Identifier: GPL-2.0
/* See channel.h. */
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include <host/linux/compat.h>
#include <host/linux/channel/node.h>
#include <host/linux/parts.h>

static struct host_channel __rcu *channels[LIMPET_CPUS_MAX][CHANNELS_MAX]; /* until they end */
static LIST_HEAD(all); /* until they are destroyed */

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

void host_channel_wake(u32 cpu, u32 number)
{
	struct host_channel *c;

	rcu_read_lock();
	c = rcu_dereference(channels[cpu][number]);
	if (c)
		c->wake(c);
	rcu_read_unlock();
}

void host_channels_look(bool (*changed)(struct host_channel *c))
{
	struct host_channel *c;

	rcu_read_lock();
	list_for_each_entry_rcu(c, &all, list) if (!READ_ONCE(c->ended) && changed(c)) c->wake(c);
	rcu_read_unlock();
}

/* The channel stays, because channels are removed after the last host thread has left. */
void host_channel_serve(u32 cpu, u32 number)
{
	tap_serve(&rcu_dereference_protected(channels[cpu][number], true)->node->tap);
}

/* --- memory */

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

/* --- created and removed */

static struct host_channel channel_declared(const struct limpet_image *image,
					    const struct limpet_image_channel *from)
{
	const void *base = image;
	const struct limpet_image_component *component = base + image->components_at;
	struct host_channel c = {
		.cpu = component[from->component].cpu,
		.number = from->number,
		.mode = from->mode,
		.to_linux = from->to_linux,
		.to_component = from->to_component,
		.access = from->access,
		.mtu = from->mtu,
	};

	strscpy(c.name, base + image->strings_at + from->name, sizeof(c.name));
	for (unsigned int i = 0; i < ETH_ALEN; i++)
		c.mac[i] = from->mac >> (8 * i);
	return c;
}

/* Returns the channel of a console or a supervisor. Only root may open its node, as the control device. */
static struct host_channel channel_own(const struct limpet_image_component *owner)
{
	const bool console = owner->flags & LIMPET_COMPONENT_CONSOLE;
	struct host_channel c = {
		.cpu = owner->cpu,
		.number = console ? LIMPET_CHANNEL_CONSOLE : LIMPET_CHANNEL_CRASH,
		.mode = LIMPET_CHANNEL_SHARED,
		.to_linux = LIMPET_CHANNEL_OWN_SIZE,
		.access = 0600,
	};

	snprintf(c.name, sizeof(c.name), "%s.%u", console ? "console" : "crash", c.cpu);
	return c;
}

static int channel_add(const struct host_channel *like, const struct host_channel_ops *ops,
		       void *of)
{
	struct host_channel *c = kmemdup(like, sizeof(*like), GFP_KERNEL);
	int error;

	if (!c)
		return -ENOMEM;
	kref_init(&c->refs);
	c->ops = ops;
	c->of = of;
	c->stops = ops->stops(c);
	error = c->mode == LIMPET_CHANNEL_NETWORK ? network_create(c) : node_create(c);
	if (error) {
		host_channel_put(c);
		return error;
	}
	rcu_assign_pointer(channels[c->cpu][c->number], c);
	list_add_rcu(&c->list, &all);
	return 0;
}

int host_channels_create(const struct limpet_image *image, const struct host_channel_ops *ops,
			 void *of, char *text, size_t size)
{
	const struct limpet_image_channel *from = (const void *)image + image->channels_at;
	const struct limpet_image_component *owner = (const void *)image + image->components_at;
	struct host_channel c;
	int error = 0;

	for (u32 i = 0; i < image->channels && !error; i++) {
		c = channel_declared(image, &from[i]);
		error = channel_add(&c, ops, of);
	}
	for (u32 i = 0; i < image->components && !error; i++) {
		if (!(owner[i].flags & (LIMPET_COMPONENT_CONSOLE | LIMPET_COMPONENT_SUPERVISOR)))
			continue;
		c = channel_own(&owner[i]);
		error = channel_add(&c, ops, of);
	}
	if (!error)
		return 0;
	snprintf(text, size, "channel %s: Linux %s: error %d", c.name,
		 error == -EEXIST
			 ? "has an interface of its name already; choose another in the system file"
			 : "makes no device for it; see dmesg",
		 -error);
	host_channels_destroy();
	return error;
}

static void channel_end(struct host_channel *c)
{
	RCU_INIT_POINTER(channels[c->cpu][c->number], NULL);
	if (c->node)
		node_end(c);
	WRITE_ONCE(c->ended, true);
}

void host_channels_end(void)
{
	struct host_channel *c = list_first_entry_or_null(&all, struct host_channel, list);

	if (!c || c->ended)
		return;
	list_for_each_entry(c, &all, list)
		channel_end(c);
	synchronize_rcu(); /* once for all channels, because it takes milliseconds */
	list_for_each_entry(c, &all, list)
		if (c->network)
			network_destroy(c);
}

void host_channels_destroy(void)
{
	struct host_channel *c, *next;

	host_channels_end();
	list_for_each_entry_safe(c, next, &all, list) {
		list_del_rcu(&c->list);
		if (c->node)
			node_unmap(c->node);
		if (c->ops->release)
			c->ops->release(c);
		host_channel_put(c);
	}
}
