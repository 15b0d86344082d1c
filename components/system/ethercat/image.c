// SPDX-License-Identifier: BSD-2-Clause
/* The mutex is held while process data are copied. Callers and the component's own thread share only these data. */
#include <runtime/memory.h>
#include <runtime/time.h>
#include <sync/mutex.h>

#include <import/sched.h>

#include "ethercat.h"

struct image image;

static struct mutex lock;
static uint8_t data[IMAGE_MAX];	    /* outputs as callers set them, inputs of the last good cycle */
static uint8_t is_input[IMAGE_MAX]; /* 0xff for a byte of an input */
static uint32_t waiters;

void image_send(struct exchange *exchange)
{
	mutex_lock(&lock, LIMPET_NEVER);
	exchange->length = image.length;
	memcpy(exchange->data, data, image.length);
	mutex_unlock(&lock);
}

void image_end(const struct exchange *exchange)
{
	bool resume;

	mutex_lock(&lock, LIMPET_NEVER);
	for (uint32_t i = 0; exchange && i < image.length; i++)
		data[i] = (exchange->data[i] & is_input[i]) | (data[i] & (uint8_t)~is_input[i]);
	image.good = exchange;
	image.cycles++;
	resume = waiters;
	mutex_unlock(&lock);
	if (resume)
		sched_resume_all((word)&waiters);
}

long part_add(struct part *part, uint32_t bytes, bool input)
{
	if (bytes > IMAGE_MAX - image.length)
		return LIMPET_EFULL;
	*part = (struct part){ image.length, bytes };
	memset(is_input + image.length, input ? 0xff : 0, bytes);
	image.length += bytes;
	return LIMPET_OK;
}

long part_get(const struct part *part, word offset, word *value)
{
	word length;
	long status;

	if (offset >= part->bytes)
		return LIMPET_ERANGE;
	length = part->bytes - offset < sizeof(*value) ? part->bytes - offset : sizeof(*value);
	status = mutex_lock(&lock, LIMPET_NEVER);
	if (status)
		return status;
	*value = 0;
	memcpy(value, data + part->at + offset, length);
	mutex_unlock(&lock);
	return (long)length;
}

long part_set(const struct part *part, word offset, word length, word value)
{
	long status;

	if (!length || length > sizeof(value) || length > part->bytes ||
	    offset > part->bytes - length)
		return LIMPET_ERANGE;
	status = mutex_lock(&lock, LIMPET_NEVER);
	if (status)
		return status;
	memcpy(data + part->at + offset, &value, length);
	mutex_unlock(&lock);
	return LIMPET_OK;
}

long image_wait(uint64_t deadline)
{
	const uint64_t since = limpet_time();
	long status = mutex_lock(&lock, LIMPET_NEVER);
	uint64_t before = image.cycles;

	if (status)
		return status;
	waiters++;
	mutex_unlock(&lock);
	status = sched_suspend_on((word)&waiters, since, 0, deadline);
	if (mutex_lock(&lock, LIMPET_NEVER))
		return LIMPET_ESTATE;
	waiters--;
	if (image.cycles != before)
		status = LIMPET_OK;
	else if (status >= 0)
		status = LIMPET_EAGAIN;
	mutex_unlock(&lock);
	return status;
}
