// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/memory.h>
#include <sync/queue.h>

/* Accesses slot `n`, counted from 1: the number of the next slot, and the message. */
static uint16_t *slot_next(const struct queue *queue, uint16_t n)
{
	return (uint16_t *)(void *)(queue->memory + (n - 1u) * QUEUE_SLOT(queue->size));
}

static void *slot_message(const struct queue *queue, uint16_t n)
{
	return slot_next(queue, n) + 1;
}

static uint16_t slot_take(struct queue *queue)
{
	uint16_t n = queue->free;

	if (!n)
		return (uint16_t)++queue->fresh;
	queue->free = *slot_next(queue, n);
	return n;
}

static void slot_give(struct queue *queue, uint16_t n)
{
	*slot_next(queue, n) = queue->free;
	queue->free = n;
}

static void append(struct queue *queue, uint16_t n, unsigned int priority)
{
	*slot_next(queue, n) = 0;
	if (queue->head[priority])
		*slot_next(queue, queue->tail[priority]) = n;
	else
		queue->head[priority] = n;
	queue->tail[priority] = n;
	queue->levels |= 1u << priority;
}

static uint16_t first(struct queue *queue, unsigned int priority)
{
	uint16_t n = queue->head[priority];

	queue->head[priority] = *slot_next(queue, n);
	if (!queue->head[priority])
		queue->levels &= ~(1u << priority);
	return n;
}

long queue_init(struct queue *queue, void *memory, size_t bytes, size_t size)
{
	size_t messages;

	if (!size || size > QUEUE_SIZE_MAX)
		return LIMPET_ERANGE;
	messages = bytes / QUEUE_SLOT(size);
	if (!messages || messages > QUEUE_MESSAGES_MAX)
		return LIMPET_ERANGE;
	if ((word)memory % sizeof(uint16_t))
		return LIMPET_EALIGN;
	*queue = (struct queue){ .space.value = (uint32_t)messages,
				 .memory = memory,
				 .size = (uint32_t)size };
	return LIMPET_OK;
}

/*
 * Decrements the semaphore, which counts free slots or messages, and locks the mutex. Returns 0 or an error of these.
 */
static long begin(struct queue *queue, struct semaphore *of, uint64_t deadline)
{
	long status = semaphore_down(of, deadline);

	if (status)
		return status;
	status = mutex_lock(&queue->mutex, LIMPET_NEVER);
	if (status)
		semaphore_up(of);
	return status;
}

/* Unlocks the mutex, and increments the semaphore for which the other side waits. Returns 0 or an error of these. */
static long end(struct queue *queue, struct semaphore *of)
{
	long status = mutex_unlock(&queue->mutex), counted = semaphore_up(of);

	return status ? status : counted;
}

long queue_send(struct queue *queue, const void *message, unsigned int priority, uint64_t deadline)
{
	uint16_t n;
	long status;

	if (priority >= QUEUE_PRIORITIES)
		return LIMPET_ERANGE;
	status = begin(queue, &queue->space, deadline);
	if (status)
		return status;
	n = slot_take(queue);
	memcpy(slot_message(queue, n), message, queue->size);
	append(queue, n, priority);
	return end(queue, &queue->filled);
}

long queue_receive(struct queue *queue, void *message, uint64_t deadline)
{
	long status = begin(queue, &queue->filled, deadline);
	unsigned int priority;
	uint16_t n;

	if (status)
		return status;
	priority = 31u - (unsigned int)__builtin_clz(queue->levels);
	n = first(queue, priority);
	memcpy(message, slot_message(queue, n), queue->size);
	slot_give(queue, n);
	status = end(queue, &queue->space);
	return status ? status : (long)priority;
}
