// SPDX-License-Identifier: BSD-2-Clause
/* Implements interface topic. A client can use only the topics that the system file gives it. */
#include <runtime/memory.h>

#include <export/topic.h>

#include "mqtt.h"

static struct topic *topic_at(word badge, word number)
{
	struct topic *topic = number < TOPICS ? &topics[number] : NULL;

	return topic && topic->path && topic->component == badge - 1 ? topic : NULL;
}

/* Returns LIMPET_OK if the caller has the topic and it has this direction. */
static long topic_check(const struct topic *topic, bool publish)
{
	if (!topic)
		return LIMPET_ENOENT;
	return topic->publish == publish ? LIMPET_OK : LIMPET_ESTATE;
}

long topic_serve_find(word badge, word name0, word name1, word name2)
{
	const word name[3] = { name0, name1, name2 };

	for (unsigned int i = 0; i < TOPICS; i++)
		if (topic_at(badge, i) && memcmp(topics[i].name, name, sizeof(name)) == 0)
			return i;
	return LIMPET_ENOENT;
}

long topic_serve_put(word badge, word number, word offset, word a, word b, word c, word d)
{
	const word words[TOPIC_PUT / sizeof(word)] = { a, b, c, d };
	struct topic *topic = topic_at(badge, number);
	long status = topic_check(topic, true);

	if (status)
		return status;
	if (offset % TOPIC_PUT || offset > TOPIC_MESSAGE_MAX - TOPIC_PUT)
		return LIMPET_ERANGE;
	core_enter();
	memcpy(topic->draft.data + offset, words, TOPIC_PUT);
	return core_leave(LIMPET_OK);
}

long topic_serve_publish(word badge, word number, word length)
{
	struct topic *topic = topic_at(badge, number);
	long status = topic_check(topic, true);

	if (status)
		return status;
	if (length > TOPIC_MESSAGE_MAX)
		return LIMPET_ERANGE;
	core_enter();
	status = queue_add(topic, topic->draft.data, (uint32_t)length);
	session_push();
	return core_leave(status);
}

static long message_peek(struct topic *topic, word offset, struct topic_peek_results *out)
{
	word words[TOPIC_PEEK / sizeof(word)] = { 0 };
	const struct message *message = queue_at(topic, 0);
	word left = TOPIC_MESSAGE_MAX - offset;

	if (!topic->count)
		return LIMPET_EEMPTY;
	memcpy(words, message->data + offset, left < TOPIC_PEEK ? left : TOPIC_PEEK);
	out->a = words[0];
	out->b = words[1];
	out->c = words[2];
	return message->length;
}

long topic_serve_peek(word badge, word number, word offset, struct topic_peek_results *out)
{
	struct topic *topic = topic_at(badge, number);
	long status = topic_check(topic, false);

	if (status)
		return status;
	if (offset % TOPIC_PEEK || offset >= TOPIC_MESSAGE_MAX)
		return LIMPET_ERANGE;
	core_enter();
	return core_leave(message_peek(topic, offset, out));
}

long topic_serve_take(word badge, word number)
{
	struct topic *topic = topic_at(badge, number);
	long status = topic_check(topic, false);

	if (status)
		return status;
	core_enter();
	if (topic->count)
		queue_remove(topic);
	else
		status = LIMPET_EEMPTY;
	return core_leave(status);
}

/* Returns whether the queue has space for its client, or a message. */
static bool topic_ready(const struct topic *topic)
{
	return topic->publish ? topic->count < QUEUE : topic->count;
}

/*
 * Waits until the queue is ready. Returns EAGAIN after any other wakeup, so that a thread of a
 * stopped component leaves.
 */
static long topic_wait(struct topic *topic, uint64_t deadline)
{
	long status;

	if (topic_ready(topic))
		return LIMPET_OK;
	status = core_wait(&topic->event, deadline);
	if (topic_ready(topic))
		return LIMPET_OK;
	return status ? status : LIMPET_EAGAIN;
}

long topic_serve_wait(word badge, word number, word deadline)
{
	struct topic *topic = topic_at(badge, number);

	if (!topic)
		return LIMPET_ENOENT;
	core_enter();
	return core_leave(topic_wait(topic, deadline));
}

long topic_serve_figures(word badge, word number, struct topic_figures_results *out)
{
	const struct topic *topic = topic_at(badge, number);

	if (!topic)
		return LIMPET_ENOENT;
	core_enter();
	out->queued = topic->count;
	out->passed = topic->passed;
	out->lost = topic->lost;
	return core_leave(session_connected());
}
