// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/memory.h>

#include "mqtt.h"

struct topic topics[TOPICS];

struct message *queue_at(struct topic *topic, uint32_t index)
{
	return &topic->queue[(topic->first + index) % QUEUE];
}

long queue_add(struct topic *topic, const void *data, uint32_t length)
{
	struct message *message;

	if (topic->count == QUEUE || length > TOPIC_MESSAGE_MAX) {
		topic->lost++;
		return LIMPET_EFULL;
	}
	message = queue_at(topic, topic->count++);
	memset(message->data, 0, sizeof(message->data));
	memcpy(message->data, data, length);
	message->length = length;
	return LIMPET_OK;
}

void queue_remove(struct topic *topic)
{
	topic->first = (topic->first + 1) % QUEUE;
	topic->count--;
	core_wake(&topic->event);
}

void queue_reset(struct topic *topic)
{
	for (; topic->sent && !topic->qos; topic->sent--) {
		topic->lost++;
		queue_remove(topic);
	}
	topic->sent = 0;
}
