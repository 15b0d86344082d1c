// SPDX-License-Identifier: GPL-2.0
/* Which channels there are, and their ends. */
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include <host/linux/compat.h>
#include <host/linux/channel/channel.h>
#include <host/linux/parts.h>

static DEFINE_XARRAY(channels); /* by place() */

static unsigned long place(u32 cpu, u32 number)
{
	return cpu * CHANNELS_MAX + number;
}

static void channel_free(struct kref *refs)
{
	struct host_channel *c = container_of(refs, struct host_channel, refs);

	c->ops->release(c);
	kfree(c->node);
	kfree(c);
}

void host_channel_get(struct host_channel *c)
{
	kref_get(&c->refs);
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
	c = xa_load(&channels, place(cpu, number));
	if (c)
		c->wake(c);
	rcu_read_unlock();
}

void host_channels_look(bool (*changed)(struct host_channel *c))
{
	struct host_channel *c;
	unsigned long at;

	rcu_read_lock();
	xa_for_each(&channels, at, c) if (changed(c)) c->wake(c);
	rcu_read_unlock();
}

void host_channel_serve(u32 cpu, u32 number)
{
	struct host_channel *c;

	rcu_read_lock();
	c = xa_load(&channels, place(cpu, number));
	if (c)
		host_channel_get(c);
	rcu_read_unlock();
	if (!c)
		return;
	node_serve(c);
	host_channel_put(c);
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

/* --- made and removed */

static struct host_channel *channel_make(const struct limpet_image *image,
					 const struct limpet_image_channel *from)
{
	const void *base = image;
	const struct limpet_image_component *component = base + image->components_at;
	struct host_channel *c = kzalloc(sizeof(*c), GFP_KERNEL);

	if (!c)
		return NULL;
	kref_init(&c->refs);
	strscpy(c->name, base + image->strings_at + from->name, sizeof(c->name));
	c->cpu = component[from->component].cpu;
	c->number = from->number;
	c->mode = from->mode;
	c->to_linux = from->to_linux;
	c->to_component = from->to_component;
	c->access = from->access;
	c->mtu = from->mtu;
	for (unsigned int i = 0; i < ETH_ALEN; i++)
		c->mac[i] = from->mac >> (8 * i);
	return c;
}

static void channel_remove(struct host_channel *c)
{
	if (c->mode == LIMPET_CHANNEL_NETWORK)
		network_destroy(c);
	else
		node_destroy(c);
	host_channel_put(c);
}

static int channel_create(struct host_channel *c)
{
	int error = c->mode == LIMPET_CHANNEL_NETWORK ? network_create(c) : node_create(c);

	if (error) {
		host_channel_put(c);
		return error;
	}
	error = xa_err(xa_store(&channels, place(c->cpu, c->number), c, GFP_KERNEL));
	if (error)
		channel_remove(c);
	return error;
}

int host_channels_create(const struct limpet_image *image, const struct host_channel_ops *ops,
			 void *of, void (*get)(void *of), char *text, size_t size)
{
	const struct limpet_image_channel *from = (const void *)image + image->channels_at;
	int error = 0;

	for (u32 i = 0; i < image->channels && !error; i++) {
		struct host_channel *c = channel_make(image, &from[i]);

		if (!c) {
			error = -ENOMEM;
			break;
		}
		c->ops = ops;
		c->of = of;
		get(of);
		error = channel_create(c);
		if (error == -EEXIST)
			snprintf(text, size,
				 "channel %u: Linux has an interface of its name already; choose "
				 "another in the system file",
				 i);
		else if (error)
			snprintf(text, size,
				 "channel %u: Linux makes no device for it: error %d; see dmesg", i,
				 -error);
	}
	if (error)
		host_channels_destroy();
	return error;
}

void host_channels_destroy(void)
{
	struct host_channel *c, *gone = NULL;
	unsigned long at;

	xa_for_each(&channels, at, c)
	{
		xa_erase(&channels, at);
		c->gone = gone;
		gone = c;
	}
	synchronize_rcu(); /* once for all: it takes milliseconds */
	while ((c = gone)) {
		gone = c->gone;
		channel_remove(c);
	}
}
