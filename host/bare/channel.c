// SPDX-License-Identifier: GPL-2.0
/* Channels' memory and events, and the vector by which the guest gets events. */
#include <host/bare/system.h>

/* Returns the channel that the guest names. Returns NULL and sets *error if there is none. */
static const struct channel *channel_of(const struct bare_layer *layer, word cpu, word number,
					long *error)
{
	const struct channel *channel = NULL;

	if (layer->state != LIMPET_STATE_RUNNING)
		*error = BARE_ENODEV;
	else if (cpu >= layer->setup.cpus || number >= CHANNELS_MAX)
		*error = BARE_EINVAL;
	else if (!channel_area(&layer->cpu[cpu]->channel[number]).frames)
		*error = BARE_ENOENT;
	else
		channel = &layer->cpu[cpu]->channel[number];
	return channel;
}

long call_channel(struct bare_cpu *cpu, word argument)
{
	const struct bare_layer *layer = cpu->layer;
	const struct channel *channel;
	struct channel_area area;
	struct bare_channel call;
	long error;

	if (!memory_read(cpu, argument, &call, sizeof(call)))
		return BARE_EFAULT;
	channel = channel_of(layer, call.cpu, call.number, &error);
	if (!channel)
		return error;
	area = channel_area(channel);
	if (!area.frames) /* the owner has deleted it in the meantime */
		return BARE_ENOENT;
	call.physical = (word)layer->memory - layer->virtual_offset + area.first * LIMPET_PAGE;
	call.size = area.frames * LIMPET_PAGE;
	call.bit =
		(u32)__builtin_ctzl(layer->cpu[call.cpu]->source[INBOX_CHANNEL + call.number].bits);
	call.stops = channel->stops;
	for (word at = 0; at < call.size; at += LIMPET_PAGE) {
		bare_hidden_show(&layer->physical, call.physical + at);
		bare_yield(cpu);
	}
	bare_translations_forget(cpu);
	return memory_write(cpu, argument, &call, sizeof(call)) ? 0 : BARE_EFAULT;
}

long call_notify(struct bare_cpu *bare, word cpu, word number)
{
	long error;

	if (!channel_of(bare->layer, cpu, number, &error))
		return error;
	inbox_put(&bare->layer->cpu[cpu]->inbox, (unsigned int)(INBOX_CHANNEL + number));
	bare_apic_kick_other(bare, bare->layer->on[cpu]);
	return 0;
}

long call_vector(struct bare_cpu *cpu, word number, word vector)
{
	struct bare_layer *layer = cpu->layer;
	struct bare_cpu *to = number > ~0u ? NULL : bare_cpu_find(layer, (u32)number);

	if (vector && (!to || vector < BARE_VECTOR_MIN || vector > BARE_VECTOR_MAX))
		return BARE_EINVAL;
	layer->vector = (u32)vector;
	layer->notified = vector ? to : NULL;
	bare_notify(cpu);
	return 0;
}
