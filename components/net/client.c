// SPDX-License-Identifier: BSD-2-Clause
/*
 * Components that are served. The memory that each shares is this component's, so that nobody can take it away
 * while it is used; what stands in it is the client's, and may change at any time.
 */
#include <runtime/kernel_call.h>

#include <export/socket.h>
#include <import/memory.h>

#include "net.h"

static struct client clients[CLIENTS];
static uint32_t clients_used;
static word pages;

/* How often a component was stopped, as far as this one may know. */
static uint32_t stops_of(uint32_t component)
{
	struct limpet_out out;
	long status =
		limpet_call_cap_info(LIMPET_SLOT_TABLE, LIMPET_SLOT_COMPONENTS + component, &out);

	return status ? 0 : (uint32_t)out.w2;
}

static void sockets_drop(struct client *c)
{
	for (unsigned int i = 0; i < CLIENT_SOCKETS; i++)
		if (c->socket[i])
			socket_drop(c->socket[i], true);
}

/* What it had in an earlier life is gone. */
static void life_look(struct client *c)
{
	uint32_t stops = stops_of(c->component);

	if (c->stops == stops)
		return;
	c->stops = stops;
	sockets_drop(c);
}

static struct client *client_of(word badge)
{
	for (unsigned int i = 0; i < clients_used; i++)
		if (clients[i].component == badge - 1)
			return &clients[i];
	return NULL;
}

struct client *client_find(word badge)
{
	struct client *c = client_of(badge);

	if (!c || !c->begun)
		return NULL;
	life_look(c);
	return c;
}

void clients_check(void)
{
	for (unsigned int i = 0; i < clients_used; i++)
		life_look(&clients[i]);
}

uint32_t client_share(void)
{
	return ARRIVALS / (clients_used + 1);
}

void *client_memory(const struct client *c, word offset, word length)
{
	word size = pages * LIMPET_PAGE;

	return offset <= size && length <= size - offset ? c->memory + offset : NULL;
}

long client_number(const struct client *c)
{
	for (unsigned int i = 0; i < CLIENT_SOCKETS; i++)
		if (!c->socket[i])
			return i;
	return -1;
}

/* Memory that it may attach. */
static long memory_share(struct client *c)
{
	word memory;
	long status = memory_allocate(pages, &memory);

	if (status)
		return LIMPET_ENOMEM;
	status = memory_grant(memory, c->component, LIMPET_READ | LIMPET_WRITE);
	if (status) {
		memory_free(memory);
		return LIMPET_ENOMEM;
	}
	c->memory = (char *)memory;
	return LIMPET_OK;
}

/* A record for a component that had none; it is nobody's until its memory is there. */
static long client_new(word badge, struct client **client)
{
	struct client *c = client_of(badge);

	if (!c) {
		if (clients_used == CLIENTS)
			return LIMPET_EQUOTA;
		c = &clients[clients_used++];
		c->component = (uint32_t)(badge - 1);
	}
	*client = c;
	return c->memory ? LIMPET_OK : memory_share(c);
}

static long begin(word badge, word *memory)
{
	struct client *c;
	long status = client_new(badge, &c);

	if (status)
		return status;
	sockets_drop(c);
	c->stops = stops_of(c->component);
	c->begun = true;
	*memory = (word)c->memory;
	return (long)(pages * LIMPET_PAGE);
}

long socket_serve_begin(word badge, struct socket_begin_results *out)
{
	if (!badge || badge > LIMPET_COMPONENTS_MAX)
		return LIMPET_EQUOTA;
	core_enter();
	return core_leave(begin(badge, &out->memory));
}

long client_setup(const struct limpet_info *info)
{
	pages = (word)limpet_arg_number(info, "memory", 16);
	return pages && pages <= 256 ? LIMPET_OK : LIMPET_ERANGE;
}
