/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Message queues: messages of one size, from any number of threads to any number. Those of greater
 * priority come first; among equals the order is that of sending.
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
/* One message in memory: its successor's number, then itself. */
#define QUEUE_SLOT(size) (((size) + sizeof(uint16_t) + 7) / 8 * 8)
/* Memory for a queue. */
#define QUEUE_BYTES(messages, size) ((messages) * QUEUE_SLOT(size))

struct queue {
	struct mutex mutex; /* of all below */
	struct semaphore room, filled;
	char *memory;
	uint32_t size;
	uint32_t levels; /* bit n: there are messages of priority n */
	uint32_t fresh;	 /* slots that were used at least once */
	uint16_t free;	 /* the others; numbers of slots begin with 1 */
	uint16_t head[QUEUE_PRIORITIES], tail[QUEUE_PRIORITIES];
};

/*
 * Makes an empty queue in memory of the caller's: bytes / QUEUE_SLOT(size) messages. ERANGE: the
 * size is not 1 to QUEUE_SIZE_MAX, or it is memory for none or for more than QUEUE_MESSAGES_MAX.
 * EALIGN: the memory is not aligned to 2 bytes.
 */
long queue_init(struct queue *queue, void *memory, size_t bytes, size_t size);
/*
 * Copies a message into the queue; waits while it is full. Constant time but for the copy. ETIME.
 * ERANGE: priority is not below QUEUE_PRIORITIES.
 */
long queue_send(struct queue *queue, const void *message, unsigned int priority, uint64_t deadline);
/* Takes the first message out; waits while the queue is empty. Status: its priority. ETIME. */
long queue_receive(struct queue *queue, void *message, uint64_t deadline);
/* How many messages there are. */
static inline uint32_t queue_length(const struct queue *queue)
{
	return __atomic_load_n(&queue->filled.value, __ATOMIC_RELAXED);
}

#endif
