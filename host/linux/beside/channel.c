// SPDX-License-Identifier: GPL-2.0
/* Memory and events of channels in beside mode. */
#include <linux/mm.h>

#include <host/linux/compat.h>
#include <host/linux/channel/channel.h>
#include <host/linux/parts.h>

static struct channel *kernels(const struct host_channel *channel)
{
	const struct system *system = channel->of;

	return &system->cpu[channel->cpu]->channel[channel->number];
}

static int find(struct host_channel *channel)
{
	const struct system *system = channel->of;
	const struct channel_area area = channel_area(kernels(channel));

	if (!area.frames)
		return -ENXIO;
	channel->pfn = system->region.pfn + area.first;
	channel->pages = area.frames;
	channel->memory = system->region.memory + area.first * PAGE_SIZE;
	return 0;
}

static void notify(struct host_channel *channel)
{
	struct system *system = channel->of;

	inbox_put(&system->cpu[channel->cpu]->inbox, INBOX_CHANNEL + channel->number);
	host_kick_cpu(system, channel->cpu);
}

static const u32 *stops(const struct host_channel *channel)
{
	return &kernels(channel)->stops;
}

static const struct host_channel_ops ops = {
	.find = find,
	.notify = notify,
	.stops = stops,
};

int system_channels(struct system *system, char *error, size_t size)
{
	system->channels =
		host_channels_create(system->image, system->id, &ops, system, error, size);
	return PTR_ERR_OR_ZERO(system->channels);
}
