// SPDX-License-Identifier: BSD-2-Clause
/* Channels to Linux that the system file declares. */
#include <runtime/kernel_call.h>
#include <runtime/memory.h>

#include "booter.h"

/* Header, rings or memory. */
static uint64_t channel_pages(const struct limpet_image_channel *channel)
{
	return 1 + (channel->to_linux + channel->to_component) / PAGE;
}

/* The memory of a channel, by the channel's number. Several components can share it. */
static struct {
	uint32_t frames; /* slot; 0: not made yet */
	uint32_t users;	 /* components that have not mapped it yet */
} memory_of[LIMPET_CHANNELS_MAX];

/* Returns the channel whose memory this one has: itself, or another component's. */
static const struct limpet_image_channel *channel_source(const struct limpet_image_channel *channel)
{
	return channel->mode == LIMPET_CHANNEL_ATTACHED ? &booter.channel[channel->number]
							: channel;
}

/* Finds the first channel of each component, whose channels follow one another, and counts the users of each memory. */
void channels_find(void)
{
	memset(memory_of, 0, sizeof(memory_of));
	for (uint32_t i = 0; i < booter.image->channels; i++) {
		struct part *part = part_at(booter.channel[i].component);

		if (part)
			memory_of[channel_source(&booter.channel[i])->number].users++;
		if (part && !part->channel_count++)
			part->channel_first = i;
	}
}

static const struct limpet_image_channel *channels_of(const struct part *part)
{
	return &booter.channel[part->channel_first];
}

uint64_t channels_pages(const struct part *part)
{
	uint64_t pages = 0;

	for (uint32_t i = 0; i < part->channel_count; i++)
		pages += channel_pages(&channels_of(part)[i]);
	return pages;
}

uint64_t channels_frames(const struct part *part)
{
	uint64_t frames = 0;

	for (uint32_t i = 0; i < part->channel_count; i++)
		if (channels_of(part)[i].mode != LIMPET_CHANNEL_ATTACHED)
			frames += channel_pages(&channels_of(part)[i]);
	return frames;
}

/* Places the pages of the channels one after the other. */
static uint64_t channel_address(const struct part *part, uint32_t index)
{
	uint64_t pages = 0;

	for (uint32_t i = 0; i < index; i++)
		pages += channel_pages(&channels_of(part)[i]);
	return part->channels + pages * PAGE;
}

word channel_slot(const struct part *part)
{
	return LIMPET_SLOT_FIRST + part->record->wires;
}

/* Takes and fills the memory of a channel, unless a component that shares it was built before. */
static word channel_memory(const struct part *part, uint32_t index)
{
	static struct limpet_channel_header header;
	const struct limpet_image_channel *channel = channel_source(&channels_of(part)[index]);
	word frames = memory_of[channel->number].frames;

	if (!frames) {
		frames = frames_take(channel_pages(channel));
		memory_of[channel->number].frames = (uint32_t)frames;
		header = (struct limpet_channel_header){
			.magic = LIMPET_CHANNEL_MAGIC,
			.version = LIMPET_CHANNEL_VERSION,
			.mode = channel->mode,
			.to_linux = channel->to_linux,
			.to_component = channel->to_component,
		};
		memory_map_frames(part, frames, channel_address(part, index),
				  channel_pages(channel), LIMPET_READ | LIMPET_WRITE, &header,
				  sizeof(header));
	} else {
		frames_map(part, part->page_table, frames, channel_address(part, index),
			   channel_pages(channel), LIMPET_READ | LIMPET_WRITE,
			   "map its shared memory");
	}
	return frames;
}

static void channel_make(const struct part *part, uint32_t index)
{
	const struct limpet_image_channel *channel = &channels_of(part)[index];
	word frames = channel_memory(part, index);
	word number = LIMPET_CHANNEL_WORD(channel->number, LIMPET_CHANNEL_BIT + index);
	long status = LIMPET_OK;

	if (channel->mode != LIMPET_CHANNEL_ATTACHED)
		status = limpet_call_channel_create(LIMPET_BOOT_CPU, frames, part->endpoint, number,
						    part->table, channel_slot(part) + index);
	if (status)
		give_up(part, "create a channel", status);
	if (!--memory_of[channel_source(channel)->number].users)
		slot_drop(frames);
}

void channels_make(const struct part *part)
{
	for (uint32_t i = 0; i < part->channel_count; i++)
		channel_make(part, i);
}

void channels_inform(const struct part *part)
{
	static struct limpet_info_channel info[LIMPET_INFO_CHANNELS];
	uint32_t count = part->channel_count;

	for (uint32_t i = 0; i < count; i++) {
		const struct limpet_image_channel *channel = &channels_of(part)[i];
		const char *name = image_string(channel->name);

		info[i] = (struct limpet_info_channel){
			.mode = channel->mode,
			.to_linux = channel->to_linux,
			.to_component = channel->to_component,
			.bit = LIMPET_CHANNEL_BIT + i,
			.address = channel_address(part, i),
			.mac = channel->mac,
			.mtu = channel->mtu,
		};
		memcpy(info[i].name, name, strlen(name)); /* below LIMPET_NAME_MAX */
	}
	if (count)
		memory_map(part, part->channel_info, 1, LIMPET_READ, info, count * sizeof(info[0]));
}
