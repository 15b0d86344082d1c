// SPDX-License-Identifier: BSD-2-Clause
/* Checks the channels between components and Linux. */
#include "checker.h"
#include "channel.h"

/* Checks that the channel has the memory of another one, on the same CPU. */
static int check_channel_attached(struct checker *checker, uint32_t index)
{
	const struct limpet_image_channel *ch = &checker->channel[index], *of;

	if (ch->number >= checker->image->channels)
		return refuse(checker, "channel.number", index, "must be the index of a channel");
	of = &checker->channel[ch->number];
	if (of->mode != LIMPET_CHANNEL_SHARED || of->to_linux != ch->to_linux ||
	    of->component >= checker->image->components || of->component == ch->component ||
	    checker->component[of->component].cpu != checker->component[ch->component].cpu)
		return refuse(checker, "channel.number", index,
			      "must be a buffer of this size of another component on the same CPU");
	/* The channels of a component are in sequence, and at most 16. */
	for (uint32_t i = index; i && checker->channel[i - 1].component == ch->component; i--)
		if (checker->channel[i - 1].mode == ch->mode &&
		    checker->channel[i - 1].number == ch->number)
			return refuse(checker, "channel.number", index,
				      "must not be attached twice");
	return 0;
}

/* Checks that channels are in the order of components, and of numbers on each CPU. */
static int check_channel_owner(struct checker *checker, uint32_t index)
{
	const struct limpet_image_channel *ch = &checker->channel[index];
	struct cpu_sum *sum;

	if (!ch->component || ch->component >= checker->image->components ||
	    !checker->component[ch->component].priority)
		return refuse(checker, "channel.component", index,
			      "must be a component with a thread, and not the booter");
	if (index && ch->component < ch[-1].component)
		return refuse(checker, "channel.component", index,
			      "must not be below that of the previous channel");
	if (index >= LIMPET_INFO_CHANNELS && ch->component == ch[-LIMPET_INFO_CHANNELS].component)
		return refuse(checker, "channel.component", index,
			      "is a component with more than 16 channels");
	if (ch->mode == LIMPET_CHANNEL_ATTACHED)
		return check_channel_attached(checker, index);
	sum = &checker->cpu[checker->component[ch->component].cpu];
	if (ch->number != LIMPET_CHANNEL_FIRST + sum->channels++ ||
	    ch->number >= LIMPET_CHANNELS_MAX)
		return refuse(checker, "channel.number", index,
			      "must be the next number of its CPU, and at most 255");
	return 0;
}

static int check_channel_name(struct checker *checker, uint32_t index)
{
	const struct limpet_image_channel *ch = &checker->channel[index];
	const char *name = checker->strings + ch->name;

	if (!string_fits(checker, ch->name, LIMPET_NAME_MAX - 1) || !channel_name_fits(ch, name) ||
	    channel_name_reserved(name))
		return refuse(checker, "channel.name", index,
			      "must be a valid name of a device node or network device");
	if (ch->mode == LIMPET_CHANNEL_FIFO && !channel_fifo_fits(name))
		return refuse(checker, "channel.name", index, "must be rtf0 to rtf63 for a FIFO");
	if (ch->mode == LIMPET_CHANNEL_ATTACHED) {
		uint32_t other = checker->channel[ch->number].name;

		if (string_fits(checker, other, LIMPET_NAME_MAX - 1) &&
		    text_equal(checker->strings + other, name))
			return 0;
		return refuse(checker, "channel.name", index,
			      "must be the name of the buffer that it attaches");
	}
	return 0;
}

static bool is_attached(const struct checker *checker, uint32_t index)
{
	return checker->channel[index].mode == LIMPET_CHANNEL_ATTACHED;
}

/* Compares the names of two channels, see text_compare(). */
static int names_compare(const struct checker *checker, uint32_t a, uint32_t b)
{
	return text_compare(checker->strings + checker->channel[a].name,
			    checker->strings + checker->channel[b].name);
}

/* Returns whether channel `a` is before channel `b` in the order of names. */
static bool is_before(const struct checker *checker, uint32_t a, uint32_t b)
{
	const int order = names_compare(checker, a, b);

	if (order)
		return order < 0;
	return is_attached(checker, a) == is_attached(checker, b) ? a < b : is_attached(checker, b);
}

/*
 * Checks the channel at this place of the order. Each one must be above the one before. Therefore no channel has two
 * places, each one has a place, and equal names are neighbours.
 */
static int check_channel_order(struct checker *checker, uint32_t place)
{
	const uint32_t index = checker->channel[place].order;
	uint32_t before;

	if (index >= checker->image->channels)
		return refuse(checker, "channel.order", place, "must be the index of a channel");
	if (!place)
		return 0;
	before = checker->channel[place - 1].order;
	if (!is_before(checker, before, index))
		return refuse(checker, "channel.order", place, "must be in the order of names");
	if (!is_attached(checker, index) && !names_compare(checker, before, index))
		return refuse(checker, "channel.name", index,
			      "is already the name of another channel");
	return 0;
}

static int check_channel(struct checker *checker, uint32_t index)
{
	const struct limpet_image_channel *ch = &checker->channel[index];

	if (check_channel_owner(checker, index) || check_channel_name(checker, index))
		return -1;
	if (ch->mode < LIMPET_CHANNEL_MESSAGES || ch->mode > LIMPET_CHANNEL_ATTACHED)
		return refuse(checker, "channel.mode", index, "must be 1 to 6");
	if (!channel_memory_fits(ch))
		return refuse(checker, "channel.to_linux", index,
			      "must be a size that the mode allows, like to_component");
	if (!channel_access_fits(ch))
		return refuse(checker, "channel.access", index,
			      "must have only the bits of reading and writing");
	if (!channel_network_fits(ch))
		return refuse(checker, "channel.mtu", index,
			      "must be valid, like mac, for a network device, otherwise 0");
	return 0;
}

int image_check_channels(struct checker *checker)
{
	for (uint32_t i = 0; i < checker->image->channels; i++)
		if (check_channel(checker, i))
			return -1;
	for (uint32_t i = 0; i < checker->image->channels; i++)
		if (check_channel_order(checker, i))
			return -1;
	return 0;
}
