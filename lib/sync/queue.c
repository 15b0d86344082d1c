// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/memory.h>
#include <sync/queue.h>

/* Of slot `n`, from 1: the number of the one behind it, and the message. */
static uint16_t *slot_next(const struct queue *q, uint16_t n)
{
	return (uint16_t *)(void *)(q->memory + (n - 1u) * QUEUE_SLOT(q->size));
}

static void *slot_message(const struct queue *q, uint16_t n)
{
	return slot_next(q, n) + 1;
}

static uint16_t slot_take(struct queue *q)
{
	uint16_t n = q->free;

	if (!n)
		return (uint16_t)++q->fresh;
	q->free = *slot_next(q, n);
	return n;
}

static void slot_give(struct queue *q, uint16_t n)
{
	*slot_next(q, n) = q->free;
	q->free = n;
}

static void append(struct queue *q, uint16_t n, unsigned int priority)
{
	*slot_next(q, n) = 0;
	if (q->head[priority])
		*slot_next(q, q->tail[priority]) = n;
	else
		q->head[priority] = n;
	q->tail[priority] = n;
	q->levels |= 1u << priority;
}

static uint16_t first(struct queue *q, unsigned int priority)
{
	uint16_t n = q->head[priority];

	q->head[priority] = *slot_next(q, n);
	if (!q->head[priority])
		q->levels &= ~(1u << priority);
	return n;
}

long queue_init(struct queue *q, void *memory, size_t bytes, size_t size)
{
	size_t messages;

	if (!size || size > QUEUE_SIZE_MAX)
		return LIMPET_ERANGE;
	messages = bytes / QUEUE_SLOT(size);
	if (!messages || messages > QUEUE_MESSAGES_MAX)
		return LIMPET_ERANGE;
	if ((word)memory % sizeof(uint16_t))
		return LIMPET_EALIGN;
	*q = (struct queue){ .room.value = (uint32_t)messages,
			     .memory = memory,
			     .size = (uint32_t)size };
	return LIMPET_OK;
}

/* Takes one of what is counted, and the mutex. */
static long begin(struct queue *q, struct semaphore *of, uint64_t deadline)
{
	long status = semaphore_down(of, deadline);

	if (status)
		return status;
	status = mutex_lock(&q->mutex, LIMPET_NEVER);
	if (status)
		semaphore_up(of);
	return status;
}

/* Gives the mutex back, and one more of what the other side counts. */
static long end(struct queue *q, struct semaphore *of)
{
	long status = mutex_unlock(&q->mutex), counted = semaphore_up(of);

	return status ? status : counted;
}

long queue_send(struct queue *q, const void *message, unsigned int priority, uint64_t deadline)
{
	uint16_t n;
	long status;

	if (priority >= QUEUE_PRIORITIES)
		return LIMPET_ERANGE;
	status = begin(q, &q->room, deadline);
	if (status)
		return status;
	n = slot_take(q);
	memcpy(slot_message(q, n), message, q->size);
	append(q, n, priority);
	return end(q, &q->filled);
}

long queue_receive(struct queue *q, void *message, uint64_t deadline)
{
	long status = begin(q, &q->filled, deadline);
	unsigned int priority;
	uint16_t n;

	if (status)
		return status;
	priority = 31u - (unsigned int)__builtin_clz(q->levels);
	n = first(q, priority);
	memcpy(message, slot_message(q, n), q->size);
	slot_give(q, n);
	status = end(q, &q->room);
	return status ? status : (long)priority;
}
