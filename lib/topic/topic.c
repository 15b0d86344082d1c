// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/memory.h>
#include <topic/topic.h>

#include <import/topic.h>

long topic_open(const char *name)
{
	word words[3] = { 0 };
	size_t length = strlen(name);

	if (length > sizeof(words))
		return LIMPET_ENOENT;
	memcpy(words, name, length);
	return topic_find(words[0], words[1], words[2]);
}

long topic_send(long topic, const void *data, size_t length)
{
	const char *from = data;
	long status = LIMPET_OK;

	if (length > TOPIC_MESSAGE_MAX)
		return LIMPET_ERANGE;
	for (size_t at = 0; at < length && !status; at += TOPIC_PUT) {
		word words[TOPIC_PUT / sizeof(word)] = { 0 };

		memcpy(words, from + at, length - at < TOPIC_PUT ? length - at : TOPIC_PUT);
		status = topic_put((word)topic, at, words[0], words[1], words[2], words[3]);
	}
	return status ? status : topic_publish((word)topic, length);
}

/* Copies the oldest message and removes it. */
static long message_take(word topic, char *to, size_t size)
{
	word words[TOPIC_PEEK / sizeof(word)];
	long length = topic_peek(topic, 0, &words[0], &words[1], &words[2]), status = length;
	size_t left = length < 0 ? 0 : (size_t)length < size ? (size_t)length : size;

	for (size_t at = 0; at < left && status >= 0; at += TOPIC_PEEK) {
		if (at)
			status = topic_peek(topic, at, &words[0], &words[1], &words[2]);
		memcpy(to + at, words, left - at < TOPIC_PEEK ? left - at : TOPIC_PEEK);
	}
	if (status >= 0)
		status = topic_take(topic);
	return status < 0 ? status : length;
}

long topic_receive(long topic, void *to, size_t size, uint64_t deadline)
{
	long status, length;

	do {
		length = message_take((word)topic, to, size);
		status = length == LIMPET_EEMPTY ? topic_wait((word)topic, deadline) : length;
	} while (length == LIMPET_EEMPTY && (status >= 0 || status == LIMPET_EAGAIN));
	return status;
}
