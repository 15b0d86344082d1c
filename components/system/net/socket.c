// SPDX-License-Identifier: BSD-2-Clause
/* What all sockets have: their records, the data that has arrived, the threads that wait for them. */
#include <sync/core.h>

#include "net.h"

static struct socket sockets[SOCKETS];
static struct arrival arrivals[ARRIVALS];
static struct arrival *arrivals_free;
static uint32_t arrivals_fresh;

uint32_t sockets_used;

struct socket *socket_new(struct client *client, enum kind kind)
{
	for (unsigned int i = 0; i < SOCKETS; i++) {
		struct socket *s = &sockets[i];

		if (s->kind != KIND_FREE)
			continue;
		*s = (struct socket){ .kind = kind, .client = client, .life = s->life + 1 };
		sockets_used++;
		return s;
	}
	return NULL;
}

struct socket *socket_at(struct client *client, word number)
{
	return client && number < CLIENT_SOCKETS ? client->socket[number] : NULL;
}

void socket_free(struct socket *s)
{
	while (s->first)
		socket_taken(s);
	for (unsigned int i = 0; i < CLIENT_SOCKETS; i++)
		if (s->client->socket[i] == s)
			s->client->socket[i] = NULL;
	core_wake(s->waiters);
	s->waiters = 0;
	s->kind = KIND_FREE;
	s->life++;
	sockets_used--;
}

/* --- what has come */

static struct arrival *arrival_new(void)
{
	struct arrival *a = arrivals_free;

	if (a)
		arrivals_free = a->next;
	else if (arrivals_fresh < ARRIVALS)
		a = &arrivals[arrivals_fresh++];
	return a;
}

/* No client has so much that there is nothing left for another one. */
bool socket_arrived(struct socket *s, struct pbuf *p, const ip_addr_t *from, uint16_t port)
{
	struct arrival *a = s->client->held < client_share() ? arrival_new() : NULL;

	if (!a)
		return false;
	*a = (struct arrival){ .data = p, .from = *from, .port = port };
	if (s->first)
		s->last->next = a;
	else
		s->first = a;
	s->last = a;
	s->client->held++;
	core_wake(s->waiters);
	return true;
}

void socket_taken(struct socket *s)
{
	struct arrival *a = s->first;

	s->first = a->next;
	s->taken = 0;
	s->client->held--;
	pbuf_free(a->data);
	a->next = arrivals_free;
	arrivals_free = a;
}

long socket_wait(struct socket *s, socket_test *test, uint64_t deadline)
{
	uint32_t life = s->life;
	long status;

	if (test(s))
		return LIMPET_OK;
	s->waiters |= sync_self();
	status = core_wait(deadline);
	if (s->life != life)
		return LIMPET_ENOENT;
	s->waiters &= ~sync_self();
	if (test(s))
		return LIMPET_OK;
	return status ? status : LIMPET_EAGAIN;
}
