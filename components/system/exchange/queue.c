// SPDX-License-Identifier: BSD-2-Clause
/*
 * Message queues. Each priority has a list of its messages, oldest first, so messages are added and removed in constant
 * time. Lists link message slots by their numbers plus one. 0 ends a list.
 */
#include <export/exchange.h>
#include <import/sched.h>
#include <runtime/memory.h>

#include "exchange.h"

#define PRIORITIES 32
#define WORDS_OF_NAME (EXCHANGE_NAME / sizeof(word))

struct slot {
	uint32_t next, size;
};

struct queue {
	word name[WORDS_OF_NAME]; /* the first is 0 after queue_unlink */
	uint32_t openers; /* bits of the clients that have opened it; a queue without openers and name is free */
	struct client *
		creator; /* the client to which it is charged: its creator, or an opener after queue_move() */
	uint32_t pages;
	uint32_t max, size; /* max. messages; bytes of each */
	uint32_t count;
	struct slot *slots; /* NULL: the record is free */
	char *data;
	uint32_t unused;			      /* list of slots */
	uint32_t first[PRIORITIES], last[PRIORITIES]; /* lists of each priority */
	uint32_t filled;			      /* bit N: priority N has messages */
	struct client *registered; /* client that gets the next notice, or NULL */
	unsigned int notified;	   /* thread of that client */
};

static struct queue queues[QUEUES];

static unsigned int number_of(const struct queue *queue)
{
	return (unsigned int)(queue - queues);
}

/* Returns a queue that the client has opened, or NULL. */
static struct queue *queue_of(const struct client *client, word number)
{
	return client && number < QUEUES && queues[number].openers & client->opener
		       ? &queues[number]
		       : NULL;
}

static struct queue *queue_named(const word *name)
{
	for (unsigned int i = 0; i < QUEUES; i++)
		if (*name && !memcmp(queues[i].name, name, sizeof(queues[i].name)))
			return &queues[i];
	return NULL;
}

/* Charges the queue to an opener with enough quota. Without such an opener, closes the queue for all. */
static void queue_move(struct queue *queue)
{
	for (unsigned int i = 0; i < CLIENTS; i++) {
		struct client *client = client_at(i);

		if (!(queue->openers & client->opener) || client->queues == QUEUES_EACH ||
		    !client_take_over(client, queue->creator, queue->pages))
			continue;
		queue->creator->queues--;
		queue->creator = client;
		client->queues++;
		return;
	}
	queue->openers = 0;
	queue->registered = NULL;
	waiters_wake(NULL, number_of(queue));
}

/*
 * Frees a queue without a name and openers. If the creator has closed an unlinked queue that others have open, it cannot
 * free the queue any more. So the queue is charged to one of the openers.
 */
static void queue_release(struct queue *queue)
{
	if (*queue->name)
		return;
	if (queue->openers && !(queue->openers & queue->creator->opener))
		queue_move(queue);
	if (queue->openers)
		return;
	client_free(queue->creator, queue->slots, queue->pages);
	queue->creator->queues--;
	queue->slots = NULL;
}

static void queue_leave(struct queue *queue, const struct client *client)
{
	if (queue->registered == client)
		queue->registered = NULL;
	queue->openers &= ~client->opener;
	queue_release(queue);
}

void queues_drop(const struct client *client)
{
	for (unsigned int i = 0; i < QUEUES; i++)
		if (queues[i].openers & client->opener)
			queue_leave(&queues[i], client);
}

/* Creates a queue for the client. */
static long queue_create(struct client *client, const word *name, word form, struct queue **result)
{
	const uint32_t max = (uint32_t)form, size = (uint32_t)(form >> 32);
	struct queue *queue = queues;
	uint32_t pages;
	void *memory;
	long status;

	if (!*name || !max || !size)
		return LIMPET_ERANGE;
	while (queue < queues + QUEUES && queue->slots)
		queue++;
	if (queue == queues + QUEUES || client->queues == QUEUES_EACH)
		return LIMPET_EFULL;
	if (size > EXCHANGE_DATA)
		return LIMPET_EQUOTA;
	status = client_allocate(client, (uint64_t)max * (sizeof(struct slot) + size), &memory,
				 &pages);
	if (status)
		return status;
	client->queues++;
	*queue = (struct queue){
		.creator = client, .pages = pages, .max = max, .size = size, .slots = memory
	};
	queue->data = (char *)(queue->slots + max);
	queue->unused = 1;
	for (uint32_t i = 0; i < max; i++)
		queue->slots[i].next = i + 1 < max ? i + 2 : 0;
	memcpy(queue->name, name, sizeof(queue->name));
	*result = queue;
	return LIMPET_OK;
}

/* Returns the number of a queue that the client has opened now. */
static long queue_open(struct client *client, const word *name, word how, word form)
{
	struct queue *queue = queue_named(name);
	long status = LIMPET_OK;

	if (!client)
		return LIMPET_ESTATE;
	if (!queue)
		status = how & EXCHANGE_CREATE ? queue_create(client, name, form, &queue)
					       : LIMPET_ENOENT;
	else if ((how & EXCHANGE_CREATE) && (how & EXCHANGE_EXCLUSIVE))
		status = LIMPET_EBUSY;
	if (status)
		return status;
	queue->openers |= client->opener;
	return number_of(queue);
}

long exchange_serve_queue_open(word badge, word name0, word name1, word name2, word name3, word how,
			       word form)
{
	const word name[WORDS_OF_NAME] = { name0, name1, name2, name3 };
	long status;

	lock_take(&exchange_lock);
	status = queue_open(client_of(badge), name, how, form);
	lock_drop(&exchange_lock);
	return status;
}

long exchange_serve_queue_close(word badge, word number)
{
	const struct client *client;
	struct queue *queue;

	lock_take(&exchange_lock);
	client = client_of(badge);
	queue = queue_of(client, number);
	if (queue)
		queue_leave(queue, client);
	lock_drop(&exchange_lock);
	return queue ? LIMPET_OK : LIMPET_ENOENT;
}

long exchange_serve_queue_unlink(word badge, word name0, word name1, word name2, word name3)
{
	const word name[WORDS_OF_NAME] = { name0, name1, name2, name3 };
	struct queue *queue;

	lock_take(&exchange_lock);
	queue = client_of(badge) ? queue_named(name) : NULL;
	if (queue) {
		*queue->name = 0;
		queue_release(queue);
	}
	lock_drop(&exchange_lock);
	return queue ? LIMPET_OK : LIMPET_ENOENT;
}

long exchange_serve_queue_state(word badge, word number, struct exchange_queue_state_results *out)
{
	const struct queue *queue;
	long status = LIMPET_ENOENT;

	lock_take(&exchange_lock);
	queue = queue_of(client_of(badge), number);
	if (queue) {
		out->max = queue->max;
		out->size = queue->size;
		status = queue->count;
	}
	lock_drop(&exchange_lock);
	return status;
}

static long queue_notify(struct client *client, struct queue *queue, word wanted)
{
	if (!queue)
		return LIMPET_ENOENT;
	if (wanted && queue->registered)
		return LIMPET_EBUSY;
	if (wanted) {
		queue->registered = client;
		queue->notified = limpet_thread_id();
	} else if (queue->registered == client) {
		queue->registered = NULL;
	}
	return LIMPET_OK;
}

long exchange_serve_queue_notify(word badge, word number, word wanted)
{
	struct client *client;
	long status;

	lock_take(&exchange_lock);
	client = client_of(badge);
	status = queue_notify(client, queue_of(client, number), wanted);
	lock_drop(&exchange_lock);
	return status;
}

static void message_append(struct queue *queue, const char *data, uint32_t size, uint32_t priority)
{
	const uint32_t number = queue->unused;
	struct slot *slot = &queue->slots[number - 1];

	queue->unused = slot->next;
	*slot = (struct slot){ .next = 0, .size = size };
	memcpy(queue->data + (number - 1) * (size_t)queue->size, data, size);
	if (queue->filled >> priority & 1)
		queue->slots[queue->last[priority] - 1].next = number;
	else
		queue->first[priority] = number;
	queue->last[priority] = number;
	queue->filled |= 1u << priority;
	queue->count++;
}

/* Removes a message, and returns its size. */
static long message_remove(struct queue *queue, char *data, word *priority)
{
	const uint32_t of = 31 - (uint32_t)__builtin_clz(queue->filled);
	const uint32_t number = queue->first[of];
	struct slot *slot = &queue->slots[number - 1];
	const long size = slot->size;

	memcpy(data, queue->data + (number - 1) * (size_t)queue->size, slot->size);
	*priority = of;
	queue->first[of] = slot->next;
	if (!slot->next)
		queue->filled &= ~(1u << of);
	slot->next = queue->unused;
	queue->unused = number;
	queue->count--;
	return size;
}

/*
 * Ends the registration for a notice if the message came into an empty queue that no other thread waits for. Returns
 * the thread to resume, or 0.
 */
static unsigned int notice_take(struct queue *queue)
{
	struct client *client = queue->registered;

	if (!client || queue->count != 1 || waiter_any(number_of(queue)))
		return 0;
	queue->registered = NULL;
	__atomic_fetch_or(&client->window->notified, 1ul << number_of(queue), __ATOMIC_SEQ_CST);
	return queue->notified;
}

/* Sends a message. Sets *notified to the thread that gets the notice, or 0. */
static long message_send(const struct client *client, word number, word size, word priority,
			 word level, unsigned int *notified)
{
	struct queue *queue = queue_of(client, number);

	if (!queue)
		return LIMPET_ENOENT;
	if (size > queue->size || priority >= PRIORITIES)
		return LIMPET_ERANGE;
	if (queue->count == queue->max) {
		waiter_add(client, (unsigned int)number, level);
		return LIMPET_EFULL;
	}
	waiter_drop();
	message_append(queue, client->window->data, (uint32_t)size, (uint32_t)priority);
	*notified = notice_take(queue);
	return LIMPET_OK;
}

long exchange_serve_queue_send(word badge, word number, word size, word priority, word level)
{
	const struct client *client;
	unsigned int notified = 0;
	long status;

	lock_take(&exchange_lock);
	client = client_of(badge);
	status = message_send(client, number, size, priority, level, &notified);
	if (!status)
		waiters_wake(client, (unsigned int)number);
	if (unlikely(notified))
		sched_resume(notified);
	lock_drop(&exchange_lock);
	return status;
}

static long message_receive(const struct client *client, word number, word level, word *priority)
{
	struct queue *queue = queue_of(client, number);

	if (!queue)
		return LIMPET_ENOENT;
	if (!queue->count) {
		waiter_add(client, (unsigned int)number, level);
		return LIMPET_EEMPTY;
	}
	waiter_drop();
	return message_remove(queue, client->window->data, priority);
}

long exchange_serve_queue_receive(word badge, word number, word level,
				  struct exchange_queue_receive_results *out)
{
	const struct client *client;
	long status;

	lock_take(&exchange_lock);
	client = client_of(badge);
	status = message_receive(client, number, level, &out->priority);
	if (status >= 0)
		waiters_wake(client, (unsigned int)number);
	lock_drop(&exchange_lock);
	return status;
}
