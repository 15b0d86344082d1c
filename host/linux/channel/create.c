// SPDX-License-Identifier: GPL-2.0
/* Creates and removes the channels of a system. */
#include <linux/if_ether.h>
#include <linux/list.h>
#include <linux/slab.h>

#include <host/linux/compat.h>
#include <host/linux/parts.h>
#include <host/linux/channel/channel.h>

/*
 * Returns the channel that the image declares. A stop channel of a system other than that with id 0 has the id in its name,
 * so that several systems with the same component can be loaded.
 */
static struct host_channel channel_declared(const struct limpet_image *image,
					    const struct limpet_image_channel *from, u32 id)
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
	if (id && strstarts(c.name, LIMPET_STOP_PREFIX))
		snprintf(c.name + strlen(c.name), sizeof(c.name) - strlen(c.name), "@%u", id);
	for (unsigned int i = 0; i < ETH_ALEN; i++)
		c.mac[i] = from->mac >> (8 * i);
	return c;
}

/*
 * Returns the channel of a console or a supervisor. Only root may open its node, as the control device. The channels
 * of another system than that with id 0 have the id in their names.
 */
static struct host_channel channel_own(const struct limpet_image_component *owner, u32 id)
{
	const bool console = owner->flags & LIMPET_COMPONENT_CONSOLE;
	struct host_channel c = {
		.cpu = owner->cpu,
		.number = console ? LIMPET_CHANNEL_CONSOLE : LIMPET_CHANNEL_CRASH,
		.mode = LIMPET_CHANNEL_SHARED,
		.to_linux = LIMPET_CHANNEL_OWN_SIZE,
		.access = 0600,
	};

	snprintf(c.name, sizeof(c.name), id ? "%s.%u@%u" : "%s.%u", console ? "console" : "crash",
		 c.cpu, id);
	return c;
}

static void channel_set(const struct host_channel *c, struct host_channel *to)
{
	rcu_assign_pointer(c->channels->at[c->cpu * CHANNELS_MAX + c->number], to);
}

static int channel_add(const struct host_channel *like, struct host_channels *channels,
		       const struct host_channel_ops *ops, void *of)
{
	struct host_channel *c = kmemdup(like, sizeof(*like), GFP_KERNEL);
	int error;

	if (!c)
		return -ENOMEM;
	kref_init(&c->refs);
	c->channels = channels;
	c->ops = ops;
	c->of = of;
	c->stops = ops->stops(c);
	error = c->mode == LIMPET_CHANNEL_NETWORK ? network_create(c) : node_create(c);
	if (error) {
		host_channel_put(c);
		return error;
	}
	channel_set(c, c);
	list_add(&c->list, &channels->list);
	return 0;
}

struct host_channels *host_channels_create(const struct limpet_image *image, u32 id,
					   const struct host_channel_ops *ops, void *of, char *text,
					   size_t size)
{
	const struct limpet_image_channel *from = (const void *)image + image->channels_at;
	const struct limpet_image_component *owner = (const void *)image + image->components_at;
	struct host_channels *channels =
		kvzalloc(struct_size(channels, at, image->cpus * CHANNELS_MAX), GFP_KERNEL_ACCOUNT);
	struct host_channel c;
	int error = 0;

	if (!channels)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&channels->list);
	channels->cpus = image->cpus;
	for (u32 i = 0; i < image->channels && !error; i++) {
		if (from[i].mode == LIMPET_CHANNEL_ATTACHED)
			continue; /* only its owner's has a node */
		c = channel_declared(image, &from[i], id);
		error = channel_add(&c, channels, ops, of);
	}
	for (u32 i = 0; i < image->components && !error; i++) {
		if (!(owner[i].flags & (LIMPET_COMPONENT_CONSOLE | LIMPET_COMPONENT_SUPERVISOR)))
			continue;
		c = channel_own(&owner[i], id);
		error = channel_add(&c, channels, ops, of);
	}
	if (!error)
		return channels;
	if (error == -EEXIST)
		snprintf(text, size,
			 "Channel %s: Linux already has %s of this name (error %d). Rename it.",
			 c.name, c.mode == LIMPET_CHANNEL_NETWORK ? "an interface" : "a device",
			 -error);
	else
		snprintf(text, size,
			 "Channel %s: Linux cannot create its device (error %d). See dmesg.",
			 c.name, -error);
	host_channels_destroy(channels);
	return ERR_PTR(error);
}

static void channel_end(struct host_channel *c)
{
	channel_set(c, NULL);
	if (c->node)
		node_end(c);
	WRITE_ONCE(c->ended, true);
}

void host_channels_end(struct host_channels *channels)
{
	bool networks = false;
	struct host_channel *c;

	if (channels->ended)
		return;
	channels->ended = true;
	list_for_each_entry(c, &channels->list, list) {
		channel_end(c);
		networks |= !!c->network;
	}
	synchronize_rcu(); /* once for all channels, because it takes milliseconds */
	if (networks)
		networks_destroy(channels);
}

void host_channels_destroy(struct host_channels *channels)
{
	struct host_channel *c, *next;

	host_channels_end(channels);
	list_for_each_entry_safe(c, next, &channels->list, list) {
		list_del(&c->list);
		if (c->node)
			node_unmap(c->node);
		if (c->ops->release)
			c->ops->release(c);
		host_channel_put(c);
	}
	kvfree_rcu(channels, rcu);
}
