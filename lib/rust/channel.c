// SPDX-License-Identifier: BSD-2-Clause
/* Gives channels to Rust. channel.rs declares these functions. */
#include <channel/channel.h>
#include <runtime/component.h>
#include <runtime/memory.h>

/* The channels by index. lib/channel keeps the address of an open channel, so Rust must not move it. */
static struct limpet_channel opened[LIMPET_INFO_CHANNELS];
static bool taken[LIMPET_INFO_CHANNELS];

/* Opens a channel and sets *channel. ENOENT: there is no such channel. EBUSY: it is open already. */
long limpet_rust_channel_open(const char *name, struct limpet_channel **channel)
{
	const struct limpet_info *info = limpet_info();
	const struct limpet_info_channel *known = (const void *)info->channel_info;
	uint32_t i = 0;
	long status;

	while (i < info->channels && strcmp(known[i].name, name))
		i++;
	if (i == info->channels || i >= LIMPET_INFO_CHANNELS)
		return LIMPET_ENOENT;
	if (__atomic_exchange_n(&taken[i], true, __ATOMIC_SEQ_CST))
		return LIMPET_EBUSY;
	status = channel_open_index(&opened[i], i);
	if (status < 0)
		__atomic_store_n(&taken[i], false, __ATOMIC_SEQ_CST);
	*channel = &opened[i];
	return status;
}

word limpet_rust_channel_bit(const struct limpet_channel *channel)
{
	return channel->bit;
}

bool limpet_rust_channel_connected(struct limpet_channel *channel)
{
	return channel_connected(channel);
}

word limpet_rust_channel_wait(word bits)
{
	return channel_wait(bits);
}
