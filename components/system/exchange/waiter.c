// SPDX-License-Identifier: BSD-2-Clause
/*
 * Each queue has a list of the threads that wait for it, youngest first. Lists link records by the ids of threads. 0
 * ends a list: no thread of a module has this id.
 */
#include <export/exchange.h>
#include <import/sched.h>

#include "exchange.h"

struct waiter {
	const struct client *client; /* NULL: the thread does not wait */
	uint16_t next, previous;
	uint8_t queue;
	uint8_t level;
};

static struct waiter waiters[LIMPET_THREADS_MAX];
static uint16_t first[QUEUES];

static void waiter_remove(unsigned int id)
{
	struct waiter *waiter = &waiters[id];

	if (!waiter->client)
		return;
	waiter->client = NULL;
	if (waiter->previous)
		waiters[waiter->previous].next = waiter->next;
	else
		first[waiter->queue] = waiter->next;
	if (waiter->next)
		waiters[waiter->next].previous = waiter->previous;
}

void waiter_add(const struct client *client, unsigned int queue, word level)
{
	const uint16_t id = (uint16_t)limpet_thread_id();

	waiter_remove(id);
	waiters[id] = (struct waiter){
		.client = client,
		.next = first[queue],
		.queue = (uint8_t)queue,
		.level = level < UINT8_MAX ? (uint8_t)level : UINT8_MAX,
	};
	if (first[queue])
		waiters[first[queue]].previous = id;
	first[queue] = id;
}

void waiter_drop(void)
{
	waiter_remove(limpet_thread_id());
}

void waiters_drop(const struct client *client)
{
	for (unsigned int id = 0; id < LIMPET_THREADS_MAX; id++)
		if (waiters[id].client == client)
			waiter_remove(id);
}

bool waiter_any(unsigned int queue)
{
	const unsigned int id = first[queue];

	return id && (id != limpet_thread_id() || waiters[id].next);
}

/*
 * Returns the waiter of another client with the highest level, and the oldest among equal levels. Returns 0 without such
 * a waiter.
 */
static unsigned int waiter_best(const struct client *client, unsigned int queue)
{
	unsigned int best = 0;

	for (unsigned int id = first[queue]; id; id = waiters[id].next)
		if (waiters[id].client != client &&
		    (!best || waiters[id].level >= waiters[best].level))
			best = id;
	return best;
}

void waiters_wake(const struct client *client, unsigned int queue)
{
	unsigned int id;

	while ((id = waiter_best(client, queue))) {
		waiter_remove(id);
		sched_resume(id);
	}
}

long exchange_serve_queue_leave(word badge)
{
	(void)badge;
	lock_take(&exchange_lock);
	waiter_drop();
	lock_drop(&exchange_lock);
	return LIMPET_OK;
}
