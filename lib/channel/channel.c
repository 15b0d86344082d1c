// SPDX-License-Identifier: BSD-2-Clause
#include <channel/channel.h>
#include <runtime/component.h>
#include <runtime/memory.h>
#include <runtime/time.h>

/* Open channels, by index. */
static struct limpet_channel *channels[LIMPET_INFO_CHANNELS];
static unsigned int opened; /* 1 + highest index of an open channel */

static bool ringed(const struct limpet_info_channel *info)
{
	return info->mode != LIMPET_CHANNEL_SHARED;
}

/* Returns a generation that the component has not used since its last start, nor before it. */
static uint32_t generation_of(const struct limpet_channel *channel)
{
	struct limpet_out out = { 0 };
	uint32_t generation;

	limpet_call_channel_state(channel->slot, LIMPET_CHANNEL_STOPS, &out);
	generation = ((uint32_t)out.w0 + 1) << 16;
	return generation == LIMPET_CLAIM(channel->end.self->generation) || !generation
		       ? generation + 1
		       : generation;
}

long channel_open_index(struct limpet_channel *channel, unsigned int index)
{
	const struct limpet_info *own = limpet_info();
	const struct limpet_info_channel *info =
		(const struct limpet_info_channel *)own->channel_info + index;
	struct limpet_channel_header *header;
	char *rings;

	if (index >= own->channels || info->mode == LIMPET_CHANNEL_FIFO ||
	    info->mode == LIMPET_CHANNEL_ATTACHED)
		return LIMPET_ENOENT;
	header = (struct limpet_channel_header *)info->address;
	rings = (char *)header + LIMPET_CHANNEL_PAGE;
	*channel = (struct limpet_channel){
		.end = { .self = &header->component,
			 .peer = &header->host,
			 .out = rings,
			 .in = rings + info->to_linux,
			 .out_size = ringed(info) ? info->to_linux : 0,
			 .in_size = info->to_component },
		.info = info,
		.slot = own->channel_slot + index,
		.bit = 1ul << info->bit,
	};
	limpet_end_begin(&channel->end, generation_of(channel));
	channels[index] = channel;
	opened = index < opened ? opened : index + 1;
	channel_connected(channel);
	return LIMPET_OK;
}

long channel_open(struct limpet_channel *channel, const char *name)
{
	const struct limpet_info *own = limpet_info();
	const struct limpet_info_channel *info = (const void *)own->channel_info;

	for (uint32_t i = 0; i < own->channels; i++)
		if (strcmp(info[i].name, name) == 0)
			return channel_open_index(channel, i);
	return LIMPET_ENOENT;
}

void channel_renew(struct limpet_channel *channel)
{
	channel->peer = channel->end.peer_generation;
	channel->self = channel->end.generation;
	channel->end.must_notify = false; /* this function notifies it */
	limpet_call_channel_notify(channel->slot);
}

long channel_send(struct limpet_channel *channel, const void *data, uint64_t length)
{
	void *space;

	if (length > channel_max(channel))
		return LIMPET_ERANGE;
	if (!channel_connected(channel))
		return LIMPET_ESTATE;
	space = channel_reserve(channel, length);
	if (!space)
		return LIMPET_EFULL;
	memcpy(space, data, length);
	channel_commit(channel, length);
	return LIMPET_OK;
}

long channel_receive(struct limpet_channel *channel, void *buffer, uint64_t size)
{
	uint64_t length;
	const void *data = channel_peek(channel, &length);

	if (!data)
		return LIMPET_EEMPTY;
	if (length > size)
		return LIMPET_ERANGE;
	memcpy(buffer, data, length);
	channel_release(channel);
	return (long)length;
}

static uint64_t min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Copies in two pieces if the data cross the end of the ring. */
long channel_put(struct limpet_channel *channel, const void *data, uint64_t length)
{
	uint64_t done = 0;

	if (!channel_connected(channel))
		return LIMPET_ESTATE;
	for (unsigned int piece = 0; piece < 2 && done < length; piece++) {
		uint64_t space;
		char *to = limpet_end_space(&channel->end, &space);

		space = min(space, length - done);
		memcpy(to, (const char *)data + done, space);
		limpet_end_put(&channel->end, space);
		done += space;
	}
	if (done)
		channel_notify_if_wanted(channel, LIMPET_SLEEP_DATA);
	if (done || !length)
		return (long)done;
	channel->wanted = 1;
	return LIMPET_EFULL;
}

long channel_take(struct limpet_channel *channel, void *buffer, uint64_t size)
{
	uint64_t done = 0;

	if (!channel_connected(channel))
		return LIMPET_EEMPTY;
	for (unsigned int piece = 0; piece < 2 && done < size; piece++) {
		uint64_t length;
		const char *from = limpet_end_bytes(&channel->end, &length);

		length = min(length, size - done);
		memcpy((char *)buffer + done, from, length);
		limpet_end_take(&channel->end, length);
		done += length;
	}
	if (done)
		channel_notify_if_wanted(channel, LIMPET_SLEEP_SPACE);
	return done || !size ? (long)done : LIMPET_EEMPTY;
}

void *channel_memory(const struct limpet_channel *channel, uint64_t *size)
{
	*size = ringed(channel->info) ? 0 : channel->info->to_linux;
	return channel->end.out;
}

void channel_event(struct limpet_channel *channel)
{
	limpet_end_event(&channel->end);
	limpet_call_channel_notify(channel->slot);
}

uint64_t channel_events(struct limpet_channel *channel)
{
	return channel_connected(channel) ? limpet_end_events(&channel->end) : 0;
}

/* --- waiting */

/* Returns whether there is space again, after an operation failed for lack of it. */
static bool roomy(struct limpet_channel *channel)
{
	uint64_t space = 0;

	if (channel->wanted && channel->info->mode == LIMPET_CHANNEL_BYTES)
		limpet_end_space(&channel->end, &space);
	else if (channel->wanted)
		space = !!limpet_end_reserve(&channel->end, channel->wanted - 1);
	return space;
}

/*
 * Returns whether the channel needs the caller. After a failure for lack of space, the caller may
 * have left old messages unread, so only new ones count.
 */
static bool ready(struct limpet_channel *channel)
{
	struct limpet_end *end = &channel->end;
	uint64_t events = LIMPET_CLAIM(end->peer->events), head = LIMPET_CLAIM(end->peer->head);
	uint32_t peer = channel->peer;
	bool connected = channel_connected(channel), found;

	if (channel->peer != peer)
		return true;
	if (!connected)
		return false;
	found = (events != end->events && events != channel->events) || roomy(channel);
	if (end->in_size && limpet_end_used(end) && (!channel->wanted || head != channel->head))
		found = true;
	/* This side may have restarted the channel because of invalid data. This call then notifies Linux. */
	channel_connected(channel);
	return found;
}

/* Returns the bits of the channels that are ready. */
static word ready_among(word bits)
{
	word found = 0;

	for (unsigned int i = 0; i < opened; i++)
		if (channels[i] && channels[i]->bit & bits && ready(channels[i]))
			found |= channels[i]->bit;
	return found;
}

/* Asks Linux for an event when the channel's condition becomes true. */
static void channel_sleep(struct limpet_channel *channel)
{
	limpet_end_sleep(&channel->end,
			 LIMPET_SLEEP_DATA | (channel->wanted ? LIMPET_SLEEP_SPACE : 0));
}

static void channel_woken(struct limpet_channel *channel)
{
	LIMPET_SAY(channel->end.self->sleeping, 0u);
	channel->events = LIMPET_CLAIM(channel->end.peer->events);
	channel->head = LIMPET_CLAIM(channel->end.peer->head);
	channel->wanted = 0;
}

static void each(word bits, void (*step)(struct limpet_channel *channel))
{
	for (unsigned int i = 0; i < opened; i++)
		if (channels[i] && channels[i]->bit & bits)
			step(channels[i]);
}

word channel_wait_once(word bits, uint64_t deadline)
{
	struct limpet_out out;
	bool over;
	word found;
	long status;

	each(bits, channel_sleep);
	do {
		out = (struct limpet_out){ 0 };
		found = ready_among(bits);
		over = deadline != LIMPET_NEVER && limpet_time() >= deadline;
		/*
		 * Receives even if a channel is ready, so that other events are not delayed until
		 * no channel is.
		 */
		status = limpet_call_endpoint_receive(LIMPET_SLOT_ENDPOINT, 0,
						      found || over ? LIMPET_NOWAIT : 0, &out);
	} while (out.w0 == CHANNEL_TIME && !found && !over);
	each(bits, channel_woken);
	return found | (status == LIMPET_OK ? out.w0 & ~CHANNEL_TIME : 0);
}
