// SPDX-License-Identifier: GPL-2.0
#include <kernel/capability.h>
#include <kernel/cpu.h>

#define EVENT_BITS 62 /* that senders may use; the others are the kernel's */

void channel_destroy(struct channel *channel)
{
	channel->frames = 0;
	channel->endpoint = NULL;
}

/* The thread of the channel's endpoint: it is the owner's. NULL: there is none. */
static const struct thread *owner(const struct channel *channel)
{
	return channel->endpoint ? channel->endpoint->thread : NULL;
}

/* A life that was stopped has still to die: it counts once. */
static void channel_ended(struct cpu *cpu, struct channel *channel)
{
	if (channel->ended)
		return;
	channel->ended = true;
	channel->stops++;
	host_notify(&cpu->host, channel->number);
}

void channel_component_stopped(struct cpu *cpu, const struct component *c)
{
	for (unsigned int i = 0; i < CHANNELS_MAX; i++) {
		const struct thread *t = owner(&cpu->channel[i]);

		if (t && t->home == c->index && t->state != LIMPET_THREAD_IDLE)
			channel_ended(cpu, &cpu->channel[i]);
	}
}

void channel_thread_died(struct cpu *cpu, const struct thread *t)
{
	for (unsigned int i = 0; t->endpoint && i < CHANNELS_MAX; i++)
		if (cpu->channel[i].endpoint == t->endpoint)
			channel_ended(cpu, &cpu->channel[i]);
}

void channel_thread_started(struct cpu *cpu, const struct thread *t)
{
	for (unsigned int i = 0; t->endpoint && i < CHANNELS_MAX; i++)
		if (cpu->channel[i].endpoint == t->endpoint)
			cpu->channel[i].ended = false;
}

/*
 * CHANNEL_CREATE(cpu, frames, endpoint, number, T, destination): channel LIMPET_CHANNEL_WORD(number, bit)
 * (0 to 31) shares the frames with the Linux process that opens it; its notifications come to the
 * endpoint (slot 0: to none) as that bit. A word of the call is the sixth: words 4 and 5 are T and
 * destination. The frames stay shared until the system ends. ERANGE: no such number or bit. EFULL: it
 * exists. EBUSY: a frame is part of a kernel object.
 */
long call_channel_create(struct cpu *cpu, struct hal_regs *r)
{
	word slot = hal_regs_word(r, 2), number = hal_regs_word(r, 3) & 0xff;
	word bit = hal_regs_word(r, 3) >> 8;
	long error;
	struct capability *from, *frames, *to, *ep = NULL;
	struct channel *channel;

	from = capability_get(cpu, hal_regs_word(r, 0), LIMPET_CPU, LIMPET_MANAGE, &error);
	frames = capability_next(cpu, from, hal_regs_word(r, 1), LIMPET_FRAMES,
				 LIMPET_READ | LIMPET_WRITE | LIMPET_MANAGE, &error);
	if (!frames)
		return error;
	if (slot && !(ep = capability_get(cpu, slot, LIMPET_ENDPOINT, LIMPET_MANAGE, &error)))
		return error;
	to = capability_empty(cpu, from, hal_regs_word(r, 4), hal_regs_word(r, 5), &error);
	if (!to)
		return error;
	if (number >= CHANNELS_MAX || bit >= EVENT_BITS || frames->b > LIMPET_CHANNEL_FRAMES_MAX)
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
		.event = 1ul << bit,
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

/* CHANNEL_STATE(channel, what): word 0: LIMPET_CHANNEL_STOPS. ERANGE: another `what`. */
long call_channel_state(struct cpu *cpu, struct hal_regs *r)
{
	long error;
	struct capability *cap =
		capability_get(cpu, hal_regs_word(r, 0), LIMPET_CHANNEL, 0, &error);

	if (!cap)
		return error;
	if (hal_regs_word(r, 1) != LIMPET_CHANNEL_STOPS)
		return LIMPET_ERANGE;
	hal_regs_result(r, LIMPET_OK, ((struct channel *)cap->object)->stops, 0, 0);
	return CALL_DONE;
}
