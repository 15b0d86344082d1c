// SPDX-License-Identifier: GPL-2.0
/* Memory and events of channels in beneath mode. */
#include <linux/io.h>
#include <linux/mm.h>

#include <host/linux/beneath/device.h>
#include <host/linux/compat.h>
#include <host/linux/channel/channel.h>
#include <host/linux/parts.h>

static int find(struct host_channel *host)
{
	struct bare_channel channel = { .cpu = host->cpu, .number = host->number };
	long error = beneath_call(BARE_CALL_CHANNEL, &channel, 0);

	if (error)
		return error == BARE_ENOENT || error == BARE_ENODEV ? -ENXIO : error;
	host->memory = memremap(channel.physical, channel.size, MEMREMAP_WB);
	host->pfn = channel.physical >> PAGE_SHIFT;
	host->pages = channel.size >> PAGE_SHIFT;
	return host->memory ? 0 : -ENOMEM;
}

static void notify(struct host_channel *channel)
{
	beneath_call(BARE_CALL_NOTIFY, (void *)(word)channel->cpu, channel->number);
}

static const u32 *stops(const struct host_channel *channel)
{
	return &layer_events->stops[channel->cpu][channel->number];
}

static void release(struct host_channel *channel)
{
	if (channel->memory)
		memunmap(channel->memory);
}

static const struct host_channel_ops ops = {
	.find = find,
	.notify = notify,
	.stops = stops,
	.release = release,
};

static struct host_channels __rcu *channels; /* NULL: not created */

/* Called with the lock that serialises these three. */
static struct host_channels *channels_now(void)
{
	return rcu_dereference_protected(channels, true);
}

int beneath_channels(const struct limpet_image *image, char *error, size_t size)
{
	struct host_channels *made = host_channels_create(image, 0, &ops, NULL, error, size);

	if (IS_ERR(made))
		return PTR_ERR(made);
	rcu_assign_pointer(channels, made);
	return 0;
}

void beneath_channels_end(void)
{
	if (channels_now())
		host_channels_end(channels_now());
}

void beneath_channels_destroy(void)
{
	struct host_channels *last = channels_now();

	rcu_assign_pointer(channels, NULL);
	if (last)
		host_channels_destroy(last);
}

/*
 * Wakes Linux's ends of the channels of a CPU whose component's side has notified them or was stopped, each once. If
 * the layer has overwritten some of these notifications, wakes all ends. A call on another CPU can set `seen` back,
 * after which the next call wakes some ends again.
 */
static void look(struct host_channels *here, u32 cpu)
{
	const u32 first = READ_ONCE(here->seen[cpu]);
	const u32 end = smp_load_acquire(&layer_events->count[cpu]);
	DECLARE_BITMAP(woken, CHANNELS_MAX) = { 0 };
	u32 n;

	if (first == end)
		return;
	WRITE_ONCE(here->seen[cpu], end);
	for (n = first; n != end && n - first < CHANNELS_MAX; n++)
		__set_bit(READ_ONCE(layer_events->last[cpu][n % CHANNELS_MAX]), woken);
	smp_rmb();
	if (READ_ONCE(layer_events->count[cpu]) - first >= CHANNELS_MAX)
		bitmap_fill(woken, CHANNELS_MAX);
	for_each_set_bit(n, woken, CHANNELS_MAX) host_channel_wake(here, cpu, n);
}

void beneath_channels_look(void)
{
	struct host_channels *here;

	rcu_read_lock();
	here = rcu_dereference(channels);
	for (u32 cpu = 0; here && cpu < here->cpus; cpu++)
		look(here, cpu);
	rcu_read_unlock();
}
