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
	struct host_channel channel = {
		.cpu = component[from->component].cpu,
		.number = from->number,
		.mode = from->mode,
		.to_linux = from->to_linux,
		.to_component = from->to_component,
		.access = from->access,
		.mtu = from->mtu,
	};

	strscpy(channel.name, base + image->strings_at + from->name, sizeof(channel.name));
	if (id && strstarts(channel.name, LIMPET_STOP_PREFIX))
		snprintf(channel.name + strlen(channel.name),
			 sizeof(channel.name) - strlen(channel.name), "@%u", id);
	for (unsigned int i = 0; i < ETH_ALEN; i++)
		channel.mac[i] = from->mac >> (8 * i);
	return channel;
}

/*
 * Returns the channel of a console or a supervisor. Only root may open its node, as the control device. The channels
 * of another system than that with id 0 have the id in their names.
 */
static struct host_channel channel_own(const struct limpet_image_component *owner, u32 id)
{
	const bool console = owner->flags & LIMPET_COMPONENT_CONSOLE;
	struct host_channel channel = {
		.cpu = owner->cpu,
		.number = console ? LIMPET_CHANNEL_CONSOLE : LIMPET_CHANNEL_CRASH,
		.mode = LIMPET_CHANNEL_SHARED,
		.to_linux = LIMPET_CHANNEL_OWN_SIZE,
		.access = 0600,
	};

	snprintf(channel.name, sizeof(channel.name), id ? "%s.%u@%u" : "%s.%u",
		 console ? "console" : "crash", channel.cpu, id);
	return channel;
}

static void channel_set(const struct host_channel *channel, struct host_channel *to)
{
	rcu_assign_pointer(channel->channels->at[channel->cpu * CHANNELS_MAX + channel->number],
			   to);
}

static int channel_add(const struct host_channel *like, struct host_channels *channels,
		       const struct host_channel_ops *ops, void *of)
{
	struct host_channel *channel = kmemdup(like, sizeof(*like), GFP_KERNEL);
	int error;

	if (!channel)
		return -ENOMEM;
	kref_init(&channel->refs);
	channel->channels = channels;
	channel->ops = ops;
	channel->of = of;
	channel->stops = ops->stops(channel);
	error = channel->mode == LIMPET_CHANNEL_NETWORK ? network_create(channel)
							: node_create(channel);
	if (error) {
		host_channel_put(channel);
		return error;
	}
	channel_set(channel, channel);
	list_add(&channel->list, &channels->list);
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
	struct host_channel channel;
	int error = 0;

	if (!channels)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&channels->list);
	channels->cpus = image->cpus;
	for (u32 i = 0; i < image->channels && !error; i++) {
		if (from[i].mode == LIMPET_CHANNEL_ATTACHED)
			continue; /* only its owner's has a node */
		channel = channel_declared(image, &from[i], id);
		error = channel_add(&channel, channels, ops, of);
	}
	for (u32 i = 0; i < image->components && !error; i++) {
		if (!(owner[i].flags & (LIMPET_COMPONENT_CONSOLE | LIMPET_COMPONENT_SUPERVISOR)))
			continue;
		channel = channel_own(&owner[i], id);
		error = channel_add(&channel, channels, ops, of);
	}
	if (!error)
		return channels;
	snprintf(text, size,
		 error == -EEXIST ? "Channel %s: Linux has this name already (error %d). Rename it."
				  : "Channel %s: Linux cannot create it (error %d). See dmesg.",
		 channel.name, -error);
	host_channels_destroy(channels);
	return ERR_PTR(error);
}

static void channel_end(struct host_channel *channel)
{
	channel_set(channel, NULL);
	if (channel->node)
		node_end(channel);
	WRITE_ONCE(channel->ended, true);
}

void host_channels_end(struct host_channels *channels)
{
	bool networks = false;
	struct host_channel *channel;

	if (channels->ended)
		return;
	channels->ended = true;
	list_for_each_entry(channel, &channels->list, list) {
		channel_end(channel);
		networks |= !!channel->network;
	}
	synchronize_rcu(); /* once for all channels, because it takes milliseconds */
	if (networks)
		networks_destroy(channels);
}

void host_channels_destroy(struct host_channels *channels)
{
	struct host_channel *channel, *next;

	host_channels_end(channels);
	list_for_each_entry_safe(channel, next, &channels->list, list) {
		list_del(&channel->list);
		if (channel->node)
			node_unmap(channel->node);
		if (channel->ops->release)
			channel->ops->release(channel);
		host_channel_put(channel);
	}
	kvfree_rcu(channels, rcu);
}
