/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements message queues for messages of one size and any number of senders and receivers.
 * Messages of higher priority come first; messages of equal priority keep the order of sending.
 *
 *	static char memory[QUEUE_BYTES(16, sizeof(struct order))];
 *	queue_init(&orders, memory, sizeof(memory), sizeof(struct order));
 */
#ifndef SYNC_QUEUE_H
#define SYNC_QUEUE_H

#include <sync/mutex.h>
#include <sync/semaphore.h>

#define QUEUE_PRIORITIES 32
#define QUEUE_MESSAGES_MAX 65535
#define QUEUE_SIZE_MAX 65536 /* bytes of a message */
/* Bytes of one message in memory: the number of the next slot, then the message. */
#define QUEUE_SLOT(size) (((size) + sizeof(uint16_t) + 7) / 8 * 8)
/* Bytes of memory for a queue. */
#define QUEUE_BYTES(messages, size) ((messages) * QUEUE_SLOT(size))

struct queue {
	struct mutex mutex;		/* protects the members after the semaphores */
	struct semaphore space, filled; /* number of free slots, and of messages */
	char *memory;
	uint32_t size;
	uint32_t levels; /* bit n: there are messages of priority n */
	uint32_t fresh;	 /* slots that were used at least once */
	uint16_t free;	 /* first free slot of these; slots are numbered from 1 */
	uint16_t head[QUEUE_PRIORITIES], tail[QUEUE_PRIORITIES];
};

/*
 * Makes an empty queue in `bytes` bytes of the caller's memory, for bytes / QUEUE_SLOT(size) messages of `size` bytes.
 * Never waits, so component_init() can call it. Returns 0. ERANGE: `size` is not 1 to QUEUE_SIZE_MAX, or the number of
 * messages is 0 or above QUEUE_MESSAGES_MAX. EALIGN: the memory is not aligned to 2 bytes.
 */
long queue_init(struct queue *queue, void *memory, size_t bytes, size_t size);
/*
 * Waits while the queue is full, at most until the deadline, and copies a message of the queue's size into it. Takes
 * constant time plus the copy. Returns 0. ETIME: the deadline has passed. ERANGE: `priority` is not below
 * QUEUE_PRIORITIES.
 */
long queue_send(struct queue *queue, const void *message, unsigned int priority, uint64_t deadline);
/*
 * Waits while the queue is empty, at most until the deadline, and copies the first message, with its size, to
 * `message`. Returns the priority of the message, 0 to QUEUE_PRIORITIES - 1. ETIME: the deadline has passed.
 */
long queue_receive(struct queue *queue, void *message, uint64_t deadline);
/* Returns the number of messages in the queue. Never waits. */
static inline uint32_t queue_length(const struct queue *queue)
{
	return __atomic_load_n(&queue->filled.value, __ATOMIC_RELAXED);
}

#endif
