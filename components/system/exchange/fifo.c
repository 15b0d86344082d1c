// SPDX-License-Identifier: BSD-2-Clause
/* FIFOs: one ring of bytes for each number. Any client puts bytes in and gets them. */
#include <export/exchange.h>
#include <import/sched.h>
#include <runtime/memory.h>

#include "exchange.h"

struct fifo {
	struct client *creator; /* NULL: it does not exist */
	char *ring;		/* NULL: the creator was restarted and has not created it again */
	uint32_t pages, size;
	uint32_t tail, count; /* place of the oldest byte; number of bytes */
};

static struct fifo fifos[FIFOS];

static struct fifo *fifo_of(word number)
{
	return number < FIFOS && fifos[number].ring ? &fifos[number] : NULL;
}

static void fifo_free(struct fifo *fifo)
{
	client_free(fifo->creator, fifo->ring, fifo->pages);
	fifo->ring = NULL;
}

void fifos_drop(const struct client *client)
{
	for (unsigned int i = 0; i < FIFOS; i++)
		if (fifos[i].creator == client && fifos[i].ring)
			fifo_free(&fifos[i]);
}

/* Gives a FIFO of the client a new ring. The old one stays if there is no memory for the new one. */
static long fifo_begin(struct client *client, struct fifo *fifo, word size)
{
	struct fifo new = { .creator = client, .size = (uint32_t)size };
	long status;

	if (!size || size > EXCHANGE_DATA)
		return LIMPET_ERANGE;
	status = client_allocate(client, size, (void **)&new.ring, &new.pages);
	if (status)
		return status;
	if (fifo->ring)
		fifo_free(fifo);
	*fifo = new;
	return LIMPET_OK;
}

static long fifo_create(struct client *client, word number, word size, word again)
{
	struct fifo *fifo = &fifos[number % FIFOS];

	if (!client)
		return LIMPET_ESTATE;
	if (number >= FIFOS || (again && (!fifo->ring || fifo->creator != client)))
		return LIMPET_ENOENT;
	if (!again && fifo->creator && (fifo->ring || fifo->creator != client))
		return LIMPET_EBUSY;
	return fifo_begin(client, fifo, size);
}

long exchange_serve_fifo_create(word badge, word number, word size, word again)
{
	long status;

	lock_take(&exchange_lock);
	status = fifo_create(client_of(badge), number, size, again);
	lock_drop(&exchange_lock);
	return status;
}

static long fifo_destroy(const struct client *client, struct fifo *fifo)
{
	if (!client || !fifo)
		return LIMPET_ENOENT;
	if (fifo->creator != client)
		return LIMPET_ERIGHTS;
	fifo_free(fifo);
	fifo->creator = NULL;
	return LIMPET_OK;
}

long exchange_serve_fifo_destroy(word badge, word number)
{
	long status;

	lock_take(&exchange_lock);
	status = fifo_destroy(client_of(badge), fifo_of(number));
	lock_drop(&exchange_lock);
	return status;
}

/* Returns how many of `n` bytes at place `at` are before the end of the ring. */
static uint32_t first_piece(const struct fifo *fifo, uint32_t at, uint32_t n)
{
	return n < fifo->size - at ? n : fifo->size - at;
}

static long fifo_put(const struct client *client, struct fifo *fifo, word size)
{
	const char *data = client ? client->window->data : NULL;
	uint32_t at, first;

	if (!client)
		return LIMPET_ESTATE;
	if (!fifo)
		return LIMPET_ENOENT;
	if (size > fifo->size - fifo->count)
		return LIMPET_EFULL;
	at = (fifo->tail + fifo->count) % fifo->size;
	first = first_piece(fifo, at, (uint32_t)size);
	memcpy(fifo->ring + at, data, first);
	memcpy(fifo->ring, data + first, size - first);
	fifo->count += (uint32_t)size;
	return LIMPET_OK;
}

static long fifo_get(const struct client *client, struct fifo *fifo, word size)
{
	char *data = client ? client->window->data : NULL;
	uint32_t n, first;

	if (!client)
		return LIMPET_ESTATE;
	if (!fifo)
		return LIMPET_ENOENT;
	n = size < fifo->count ? (uint32_t)size : fifo->count;
	first = first_piece(fifo, fifo->tail, n);
	memcpy(data, fifo->ring + fifo->tail, first);
	memcpy(data + first, fifo->ring, n - first);
	fifo->tail = (fifo->tail + n) % fifo->size;
	fifo->count -= n;
	return n;
}

/* Resumes the watchers of a FIFO that the client has changed. */
static void moved(const struct client *client, word number)
{
	unsigned int from = 0;
	word thread;

	while ((thread = client_watcher(client, (unsigned int)number, &from)))
		sched_resume(thread);
}

long exchange_serve_fifo_put(word badge, word number, word size)
{
	const struct client *client;
	long status;

	lock_take(&exchange_lock);
	client = client_of(badge);
	status = fifo_put(client, fifo_of(number), size);
	if (!status)
		moved(client, number);
	lock_drop(&exchange_lock);
	return status;
}

long exchange_serve_fifo_get(word badge, word number, word size)
{
	const struct client *client;
	long status;

	lock_take(&exchange_lock);
	client = client_of(badge);
	status = fifo_get(client, fifo_of(number), size);
	if (status >= 0)
		moved(client, number);
	lock_drop(&exchange_lock);
	return status;
}

long exchange_serve_fifo_used(word badge, word number, word empty)
{
	struct fifo *fifo;
	long status = LIMPET_ENOENT;

	(void)badge;
	lock_take(&exchange_lock);
	fifo = fifo_of(number);
	if (fifo) {
		status = fifo->count;
		if (empty)
			fifo->count = 0;
	}
	lock_drop(&exchange_lock);
	return status;
}
