// SPDX-License-Identifier: BSD-2-Clause
/* The common part of all sockets: records, received data and waiting threads. */
#include "net.h"

static struct socket sockets[SOCKETS];
static struct arrival arrivals[ARRIVALS];
static struct arrival *arrivals_free;
static uint32_t arrivals_fresh;

uint32_t sockets_used;

struct socket *socket_new(struct client *client, enum kind kind)
{
	for (unsigned int i = 0; i < SOCKETS; i++) {
		struct socket *socket = &sockets[i];

		if (socket->kind != KIND_FREE)
			continue;
		*socket = (struct socket){ .kind = kind,
					   .client = client,
					   .life = socket->life + 1,
					   .event = socket->event };
		sockets_used++;
		return socket;
	}
	return NULL;
}

struct socket *socket_at(struct client *client, word number)
{
	return client && number < CLIENT_SOCKETS ? client->socket[number] : NULL;
}

void socket_free(struct socket *socket)
{
	while (socket->first)
		socket_taken(socket);
	for (unsigned int i = 0; i < CLIENT_SOCKETS; i++)
		if (socket->client->socket[i] == socket)
			socket->client->socket[i] = NULL;
	socket_wake(socket);
	socket->kind = KIND_FREE;
	socket->life++;
	sockets_used--;
}

/* A thread that waits for several sockets waits for its client's event. */
void socket_wake(struct socket *socket)
{
	core_wake(&socket->event);
	core_wake(&socket->client->event);
}

/* --- received data */

static struct arrival *arrival_new(void)
{
	struct arrival *arrival = arrivals_free;

	if (arrival)
		arrivals_free = arrival->next;
	else if (arrivals_fresh < ARRIVALS)
		arrival = &arrivals[arrivals_fresh++];
	return arrival;
}

/*
 * Limits each client to its share, so that other clients can receive, too. A client without unread data can exceed its
 * share by one chain. A stream's data would otherwise never arrive, because lwIP offers the same chain again.
 */
static bool has_room(const struct client *client, uint32_t buffers)
{
	return !client->held || client->held + buffers <= client_share();
}

bool socket_arrived(struct socket *socket, struct pbuf *p, const ip_addr_t *from, uint16_t port)
{
	const uint32_t buffers = pbuf_clen(p);
	struct arrival *arrival = has_room(socket->client, buffers) ? arrival_new() : NULL;

	if (!arrival)
		return false;
	*arrival = (struct arrival){ .data = p, .buffers = buffers, .from = *from, .port = port };
	if (socket->first)
		socket->last->next = arrival;
	else
		socket->first = arrival;
	socket->last = arrival;
	socket->client->held += buffers;
	socket_wake(socket);
	return true;
}

void socket_taken(struct socket *socket)
{
	struct arrival *arrival = socket->first;

	socket->first = arrival->next;
	socket->taken = 0;
	socket->client->held -= arrival->buffers;
	pbuf_free(arrival->data);
	arrival->next = arrivals_free;
	arrivals_free = arrival;
}

long socket_wait(struct socket *socket, socket_test *test, uint64_t deadline)
{
	uint32_t life = socket->life;
	long status;

	if (test(socket))
		return LIMPET_OK;
	status = core_wait(&socket->event, deadline);
	if (socket->life != life)
		return LIMPET_ENOENT;
	if (test(socket))
		return LIMPET_OK;
	return status ? status : LIMPET_EAGAIN;
}
