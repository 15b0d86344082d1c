// SPDX-License-Identifier: BSD-2-Clause
#include <channel/channel.h>
#include <limpet/network.h>
#include <runtime/memory.h>

#include <import/sched.h>

#include "ethercat.h"

static struct limpet_channel channel;

long port_begin(void)
{
	return channel_open_argument(&channel);
}

long port_send(const void *frame, uint32_t length)
{
	struct limpet_frame *message;

	if (!channel_connected(&channel))
		return LIMPET_ESTATE;
	message = channel_reserve(&channel, sizeof(*message) + length);
	if (!message)
		return LIMPET_EFULL;
	*message = (struct limpet_frame){ 0 };
	memcpy(message + 1, frame, length);
	channel_commit(&channel, sizeof(*message) + length);
	return LIMPET_OK;
}

/* Copies the oldest message. Returns -1 without a message, or 0 if its length is invalid. */
static long message_take(uint8_t frame[FRAME_MAX])
{
	uint64_t length;
	const struct limpet_frame *message = channel_peek(&channel, &length);

	if (!message)
		return -1;
	length = length < sizeof(*message) ? 0 : length - sizeof(*message);
	if (length > FRAME_MAX)
		length = 0;
	memcpy(frame, message + 1, length);
	channel_release(&channel);
	return (long)length;
}

long port_receive(uint8_t frame[FRAME_MAX], uint64_t deadline)
{
	long length, status = LIMPET_OK;
	word came;

	while ((length = message_take(frame)) < 0 && !status)
		status = channel_wait_until(channel.bit, &came, deadline);
	return length < 0 ? LIMPET_ETIME : length;
}

void port_sleep(uint64_t until)
{
	sched_sleep_until(until);
}
