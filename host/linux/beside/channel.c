// SPDX-License-Identifier: GPL-2.0
/* Memory and events of channels in beside mode. */
#include <linux/mm.h>

#include <host/linux/compat.h>
#include <host/linux/channel/channel.h>
#include <host/linux/parts.h>

static struct channel *kernels(const struct host_channel *c)
{
	const struct system *system = c->of;

	return &system->cpu[c->cpu]->channel[c->number];
}

static int find(struct host_channel *c)
{
	const struct system *system = c->of;
	const struct channel_area area = channel_area(kernels(c));

	if (!area.frames)
		return -ENXIO;
	c->pfn = system->region.pfn + area.first;
	c->pages = area.frames;
	c->memory = system->region.memory + area.first * PAGE_SIZE;
	return 0;
}

static void notify(struct host_channel *c)
{
	struct system *system = c->of;

	inbox_put(&system->cpu[c->cpu]->inbox, INBOX_CHANNEL + c->number);
	host_kick_cpu(system, c->cpu);
}

static const u32 *stops(const struct host_channel *c)
{
	return &kernels(c)->stops;
}

static const struct host_channel_ops ops = {
	.find = find,
	.notify = notify,
	.stops = stops,
};

int system_channels(struct system *system, char *error, size_t size)
{
	struct host_channels *made =
		host_channels_create(system->image, system->id, &ops, system, error, size);

	if (IS_ERR(made))
		return PTR_ERR(made);
	system->channels = made;
	return 0;
}
