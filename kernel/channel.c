// SPDX-License-Identifier: GPL-2.0
#include <kernel/capability.h>
#include <kernel/cpu.h>

void channel_destroy(struct channel *channel)
{
	channel->frames = 0;
	channel->endpoint = NULL;
}

/*
 * CHANNEL_CREATE(cpu, frames, endpoint, number, T, destination): channel `number` (0 to 3) shares
 * the frames with the Linux process that opens it; its notifications come to the endpoint (slot 0:
 * to none) as bit 0. A word of the call is the sixth: words 4 and 5 are T and destination. The
 * frames stay shared until the system ends. ERANGE: no such number. EFULL: it exists. EBUSY: a
 * frame is part of a kernel object.
 */
long call_channel_create(struct cpu *cpu, struct hal_regs *r)
{
	word slot = hal_regs_word(r, 2), number = hal_regs_word(r, 3);
	long error;
	struct capability *from, *frames, *to, *ep = NULL;
	struct channel *channel;

	from = capability_get(cpu, hal_regs_word(r, 0), LIMPET_CPU, LIMPET_MANAGE, &error);
	if (!from)
		return error;
	frames = capability_get(cpu, hal_regs_word(r, 1), LIMPET_FRAMES,
				LIMPET_READ | LIMPET_WRITE | LIMPET_MANAGE, &error);
	if (!frames)
		return error;
	if (slot && !(ep = capability_get(cpu, slot, LIMPET_ENDPOINT, LIMPET_MANAGE, &error)))
		return error;
	to = capability_empty(cpu, hal_regs_word(r, 4), hal_regs_word(r, 5), &error);
	if (!to)
		return error;
	if (number >= CHANNELS_MAX || frames->b > LIMPET_CHANNEL_FRAMES_MAX)
		return LIMPET_ERANGE;
	channel = &cpu->channel[index_clamp(number, CHANNELS_MAX)];
	if (channel->frames || channel->object.refs)
		return LIMPET_EFULL;
	for (word i = 0; i < frames->b; i++)
		if (cpu->pool->state[frames->a + i] >= FRAME_MAPS_MAX)
			return LIMPET_EBUSY;
	/* The Linux side's mapping counts, and is not given back: it may outlive the channel. */
	for (word i = 0; i < frames->b; i++)
		frame_map(cpu->pool, frames->a + i);
	*channel = (struct channel){
		.object.type = LIMPET_CHANNEL,
		.frame = frames->a,
		.endpoint = ep ? (struct endpoint *)ep->object : NULL,
		.number = number,
	};
	hal_barrier(); /* the host may look at any time: `frames` says that the rest is there */
	channel->frames = frames->b;
	capability_derive(to, from, LIMPET_CHANNEL, &channel->object, 0, 0, LIMPET_ALL);
	return LIMPET_OK;
}

/* CHANNEL_NOTIFY(channel): wakes the Linux process that polls the channel. */
long call_channel_notify(struct cpu *cpu, struct hal_regs *r)
{
	long error;
	struct capability *cap =
		capability_get(cpu, hal_regs_word(r, 0), LIMPET_CHANNEL, LIMPET_WRITE, &error);

	if (!cap)
		return error;
	host_notify(&cpu->host, ((struct channel *)cap->object)->number);
	return LIMPET_OK;
}
