// SPDX-License-Identifier: BSD-2-Clause
#include <channel/channel.h>
#include <runtime/component.h>
#include <runtime/memory.h>
#include <runtime/time.h>

/* Those that are open, by index. */
static struct limpet_channel *channels[LIMPET_INFO_CHANNELS];
static unsigned int opened; /* 1 + greatest index of one that is open */

static bool ringed(const struct limpet_info_channel *info)
{
	return info->mode != LIMPET_CHANNEL_SHARED;
}

/* A generation that neither an earlier life of this component has used, nor this one. */
static uint32_t generation_of(const struct limpet_channel *c)
{
	struct limpet_out out = { 0 };
	uint32_t generation;

	limpet_call_channel_state(c->slot, LIMPET_CHANNEL_STOPS, &out);
	generation = ((uint32_t)out.w0 + 1) << 16;
	return generation == LIMPET_CLAIM(c->end.self->generation) || !generation ? generation + 1
										  : generation;
}

long channel_open_index(struct limpet_channel *c, unsigned int index)
{
	const struct limpet_info *own = limpet_info();
	const struct limpet_info_channel *info =
		(const struct limpet_info_channel *)own->channel_info + index;
	struct limpet_channel_header *header;
	char *rings;

	if (index >= own->channels)
		return LIMPET_ENOENT;
	header = (struct limpet_channel_header *)info->address;
	rings = (char *)header + LIMPET_CHANNEL_PAGE;
	*c = (struct limpet_channel){
		.end = { .self = &header->component,
			 .peer = &header->host,
			 .out = rings,
			 .in = rings + info->to_linux,
			 .out_size = ringed(info) ? info->to_linux : 0,
			 .in_size = info->to_component },
		.info = info,
		.slot = LIMPET_SLOT_CHANNELS + index,
		.bit = 1ul << info->bit,
	};
	limpet_end_begin(&c->end, generation_of(c));
	channels[index] = c;
	opened = index < opened ? opened : index + 1;
	channel_connected(c);
	return LIMPET_OK;
}

long channel_open(struct limpet_channel *c, const char *name)
{
	const struct limpet_info *own = limpet_info();
	const struct limpet_info_channel *info = (const void *)own->channel_info;

	for (uint32_t i = 0; i < own->channels; i++)
		if (strcmp(info[i].name, name) == 0)
			return channel_open_index(c, i);
	return LIMPET_ENOENT;
}

void channel_renew(struct limpet_channel *c)
{
	c->peer = c->end.peer_generation;
	c->self = c->end.generation;
	c->end.tell = false; /* it is told here */
	limpet_call_channel_notify(c->slot);
}

long channel_send(struct limpet_channel *c, const void *data, uint64_t length)
{
	void *room;

	if (length > channel_most(c))
		return LIMPET_ERANGE;
	if (!channel_connected(c))
		return LIMPET_ESTATE;
	room = channel_reserve(c, length);
	if (!room)
		return LIMPET_EFULL;
	memcpy(room, data, length);
	channel_commit(c, length);
	return LIMPET_OK;
}

long channel_receive(struct limpet_channel *c, void *buffer, uint64_t size)
{
	uint64_t length;
	const void *data = channel_peek(c, &length);

	if (!data)
		return LIMPET_EEMPTY;
	if (length > size)
		return LIMPET_ERANGE;
	memcpy(buffer, data, length);
	channel_release(c);
	return (long)length;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* In two pieces, where they reach beyond the end of the ring. */
long channel_put(struct limpet_channel *c, const void *data, uint64_t length)
{
	uint64_t done = 0;

	if (!channel_connected(c))
		return LIMPET_ESTATE;
	for (unsigned int piece = 0; piece < 2 && done < length; piece++) {
		uint64_t room;
		char *to = limpet_end_room(&c->end, &room);

		room = least(room, length - done);
		memcpy(to, (const char *)data + done, room);
		limpet_end_put(&c->end, room);
		done += room;
	}
	if (done)
		channel_tell(c, LIMPET_SLEEP_DATA);
	if (done || !length)
		return (long)done;
	c->wanted = 1;
	return LIMPET_EFULL;
}

long channel_take(struct limpet_channel *c, void *buffer, uint64_t size)
{
	uint64_t done = 0;

	if (!channel_connected(c))
		return LIMPET_EEMPTY;
	for (unsigned int piece = 0; piece < 2 && done < size; piece++) {
		uint64_t length;
		const char *from = limpet_end_bytes(&c->end, &length);

		length = least(length, size - done);
		memcpy((char *)buffer + done, from, length);
		limpet_end_take(&c->end, length);
		done += length;
	}
	if (done)
		channel_tell(c, LIMPET_SLEEP_SPACE);
	return done || !size ? (long)done : LIMPET_EEMPTY;
}

void *channel_memory(const struct limpet_channel *c, uint64_t *size)
{
	*size = ringed(c->info) ? 0 : c->info->to_linux;
	return c->end.out;
}

void channel_event(struct limpet_channel *c)
{
	limpet_end_event(&c->end);
	limpet_call_channel_notify(c->slot);
}

uint64_t channel_events(struct limpet_channel *c)
{
	return channel_connected(c) ? limpet_end_events(&c->end) : 0;
}

/* --- waiting */

/* Whether there is room again where there was none. */
static bool roomy(struct limpet_channel *c)
{
	uint64_t room = 0;

	if (c->wanted && c->info->mode == LIMPET_CHANNEL_BYTES)
		limpet_end_room(&c->end, &room);
	else if (c->wanted)
		room = !!limpet_end_reserve(&c->end, c->wanted - 1);
	return room;
}

/*
 * Whether there is something to do with the channel. Who has found no room may leave messages where they are:
 * then it is new ones that count.
 */
static bool ready(struct limpet_channel *c)
{
	struct limpet_end *e = &c->end;
	uint64_t events = LIMPET_CLAIM(e->peer->events), head = LIMPET_CLAIM(e->peer->head);
	uint32_t peer = c->peer;
	bool connected = channel_connected(c), found;

	if (c->peer != peer)
		return true;
	if (!connected)
		return false;
	found = (events != e->events && events != c->events) || roomy(c);
	if (e->in_size && limpet_end_used(e) && (!c->wanted || head != c->head))
		found = true;
	channel_connected(c); /* what was nonsense has made this side begin anew: Linux is told */
	return found;
}

/* Bits of those that are ready. */
static word ready_among(word bits)
{
	word found = 0;

	for (unsigned int i = 0; i < opened; i++)
		if (channels[i] && channels[i]->bit & bits && ready(channels[i]))
			found |= channels[i]->bit;
	return found;
}

/* From now on Linux sends an event for whatever the channel waits for. */
static void channel_sleep(struct limpet_channel *c)
{
	limpet_end_sleep(&c->end, LIMPET_SLEEP_DATA | (c->wanted ? LIMPET_SLEEP_SPACE : 0));
}

static void channel_woken(struct limpet_channel *c)
{
	LIMPET_SAY(c->end.self->sleeping, 0u);
	c->events = LIMPET_CLAIM(c->end.peer->events);
	c->head = LIMPET_CLAIM(c->end.peer->head);
	c->wanted = 0;
}

static void each(word bits, void (*step)(struct limpet_channel *c))
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
		/* Also when there is something: other events must not wait until there is nothing. */
		status = limpet_call_endpoint_receive(LIMPET_SLOT_ENDPOINT, 0,
						      found || over ? LIMPET_NOWAIT : 0, &out);
	} while (out.w0 == CHANNEL_TIME && !found && !over);
	each(bits, channel_woken);
	return found | (status == LIMPET_OK ? out.w0 & ~CHANNEL_TIME : 0);
}
