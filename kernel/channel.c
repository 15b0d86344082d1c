// SPDX-License-Identifier: GPL-2.0
#include <kernel/capability.h>
#include <kernel/cpu.h>

#define EVENT_BITS 62 /* number of bits for senders; the kernel uses the others */

void channel_destroy(struct cpu *cpu, struct channel *channel)
{
	channel->area = 0;
	source_bind(&cpu->source[INBOX_CHANNEL + channel->number], NULL, 0);
}

/* A thread whose component was stopped still dies later. Both together count as one end. */
void channel_owner(struct cpu *cpu, const struct thread *thread, bool ended)
{
	const struct list *all = thread->endpoint ? &thread->endpoint->sources : NULL;

	for (const struct list *item = all ? all->next : NULL; item != all; item = item->next) {
		word n = (word)(list_object(item, struct source, list) -
				&cpu->source[INBOX_CHANNEL]);
		struct channel *channel;

		if (n >= CHANNELS_MAX) /* a port or an interrupt */
			continue;
		channel = &cpu->channel[n];
		if (ended && !channel->ended) {
			channel->stops++;
			host_notify(&cpu->host, (u32)n);
		}
		channel->ended = ended;
	}
}

/*
 * CHANNEL_CREATE(cpu, frames, endpoint, number, T, destination): makes channel `number`, 0 to 255,
 * which shares the frames with the Linux process that opens it. Word 3 is
 * LIMPET_CHANNEL_WORD(number, bit). The endpoint gets the channel's notifications as that bit; slot
 * 0 drops them. The frames stay shared until the system ends. ERANGE: the number or bit is out of
 * range, or there are more than LIMPET_CHANNEL_FRAMES_MAX frames. EFULL: the channel exists. EBUSY:
 * a frame is part of a kernel object.
 */
long call_channel_create(struct cpu *cpu, struct hal_regs *regs)
{
	word slot = hal_regs_word(regs, 2), number = hal_regs_word(regs, 3) & 0xffff;
	word bit = hal_regs_word(regs, 3) >> 16;
	long error;
	struct capability *from, *frames, *to;
	struct endpoint *ep = NULL;
	struct channel *channel;

	from = capability_get(cpu, hal_regs_word(regs, 0), LIMPET_CPU, LIMPET_MANAGE, &error);
	frames = capability_next(cpu, from, hal_regs_word(regs, 1), LIMPET_FRAMES,
				 LIMPET_READ | LIMPET_WRITE | LIMPET_MANAGE, &error);
	if (!frames)
		return error;
	if (slot && !(ep = endpoint_get(cpu, slot, LIMPET_MANAGE, &error)))
		return error;
	to = capability_empty(cpu, from, hal_regs_word(regs, 4), hal_regs_word(regs, 5), &error);
	if (!to)
		return error;
	if (number >= CHANNELS_MAX || bit >= EVENT_BITS || frames->b > LIMPET_CHANNEL_FRAMES_MAX)
		return LIMPET_ERANGE;
	channel = &cpu->channel[index_clamp(number, CHANNELS_MAX)];
	if (channel->area || channel->object.refs)
		return LIMPET_EFULL;
	for (word i = 0; i < frames->b; i++)
		if ((cpu->pool->state[frames->a + i] & ~FRAME_LENT) >= LIMPET_FRAME_MAPS_MAX)
			return LIMPET_EBUSY;
	/*
	 * The Linux side's mapping is counted. The count stays, because the mapping can outlive the
	 * channel.
	 */
	for (word i = 0; i < frames->b; i++)
		frame_map(cpu->pool, frames->a + i);
	*channel = (struct channel){
		.object.type = LIMPET_CHANNEL,
		.number = (u32)number,
	};
	source_bind(&cpu->source[INBOX_CHANNEL + number], ep, 1ul << bit);
	hal_barrier(); /* the host may read the other fields once `area` is set */
	channel->area = CHANNEL_AREA(frames->a, frames->b);
	capability_derive(to, from, LIMPET_CHANNEL, &channel->object, 0, 0, LIMPET_ALL);
	return LIMPET_OK;
}

/* CHANNEL_NOTIFY(channel): wakes the Linux process that polls the channel. */
long call_channel_notify(struct cpu *cpu, struct hal_regs *regs)
{
	long error;
	const struct channel *channel = capability_object(cpu, hal_regs_word(regs, 0),
							  LIMPET_CHANNEL, LIMPET_WRITE, &error);

	if (!channel)
		return error;
	host_notify(&cpu->host, channel->number);
	return LIMPET_OK;
}

/*
 * CHANNEL_STATE(channel, what): word 0 is the number of stops for LIMPET_CHANNEL_STOPS. ERANGE:
 * another `what`.
 */
long call_channel_state(struct cpu *cpu, struct hal_regs *regs)
{
	long error;
	const struct channel *channel =
		capability_object(cpu, hal_regs_word(regs, 0), LIMPET_CHANNEL, 0, &error);

	if (!channel)
		return error;
	if (hal_regs_word(regs, 1) != LIMPET_CHANNEL_STOPS)
		return LIMPET_ERANGE;
	hal_regs_result(regs, LIMPET_OK, channel->stops, 0, 0);
	return CALL_DONE;
}
