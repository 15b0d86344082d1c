// SPDX-License-Identifier: BSD-2-Clause
#include <channel/channel.h>
#include <runtime/component.h>
#include <runtime/memory.h>
#include <runtime/time.h>

#include <import/sched.h>

#include "ferry.h"

static struct limpet_channel channel;

static void answer(uint64_t came)
{
	struct ferry to = { .order = FERRY_ANSWER, .came = came };
	void *message;

	to.sent = limpet_time();
	message = channel_reserve(&channel, sizeof(to));
	if (!message)
		return;
	memcpy(message, &to, sizeof(to));
	channel_commit(&channel, sizeof(to));
}

/* Reads a round's messages. Returns false if FERRY_END is among them. */
static bool take_all(struct ferry_polled *times)
{
	for (unsigned int i = 0; i < FERRY_POLLED; i++) {
		uint64_t length, begin = limpet_time(), order;
		const struct ferry *from = channel_peek(&channel, &length);

		if (!from)
			return true;
		order = from->order;
		channel_release(&channel);
		times[i].take = limpet_time() - begin;
		if (order == FERRY_END)
			return false;
	}
	return true;
}

static void put_all(struct ferry_polled *times)
{
	for (unsigned int i = 0; i < FERRY_POLLED; i++) {
		uint64_t begin = limpet_time();
		struct ferry_polled *to = channel_reserve(&channel, sizeof(*to));

		if (!to)
			return;
		*to = times[i];
		channel_commit(&channel, sizeof(*to));
		if (i + 1 < FERRY_POLLED)
			times[i + 1].put = limpet_time() - begin;
	}
}

/* Does not sleep at the channel, so Linux sends no event. */
static void ferry_poll(const struct limpet_info *info)
{
	static struct ferry_polled times[FERRY_POLLED];
	uint64_t length, due;

	sched_periodic(info->ticks_per_ms, 0);
	for (;;) {
		sched_periodic_wait(&due);
		if (!channel_peek(&channel, &length))
			continue;
		if (!take_all(times))
			return;
		put_all(times);
	}
}

long component_init(const struct limpet_info *info)
{
	return info->channels ? LIMPET_OK : LIMPET_ENOENT;
}

void component_main(const struct limpet_info *info)
{
	channel_open_index(&channel, 0); /* exists: component_init() */
	for (;;) {
		uint64_t length, order;
		const struct ferry *from = channel_peek(&channel, &length);

		if (!from) {
			channel_wait(channel.bit);
			continue;
		}
		order = from->order;
		if (order == FERRY_ANSWER)
			answer(limpet_time());
		channel_release(&channel);
		if (order == FERRY_POLL)
			ferry_poll(info);
	}
}
