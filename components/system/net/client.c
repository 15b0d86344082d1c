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
static word pages;

uint32_t clients_used;

/* How often a component was stopped, with LIMPET_CLOSED while it is closed; the privilege `clients` lets it look. */
static word life_of(uint32_t component)
{
	struct limpet_out out;
	long status =
		limpet_call_cap_info(LIMPET_SLOT_TABLE, LIMPET_SLOT_COMPONENTS + component, &out);

	return status ? 0 : out.w2;
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
	word life = life_of(c->component);

	if (c->life != life)
		sockets_drop(c);
	c->life = life;
}

/* The record of a component; of 0, which is no client, a free one. NULL: there is none. */
static struct client *record_of(uint32_t component)
{
	for (unsigned int i = 0; i < CLIENTS; i++)
		if (clients[i].component == component)
			return &clients[i];
	return NULL;
}

/* A thread of a component that is closed, which was on its way here, finds nothing. */
struct client *client_find(word badge)
{
	struct client *c = record_of((uint32_t)(badge - 1));

	if (!c)
		return NULL;
	life_look(c);
	return c->component && !(c->life & LIMPET_CLOSED) ? c : NULL;
}

/*
 * Closed from one check to the next is who stays so: restoring a component takes a small part of that. Should it
 * come back nevertheless, it begins with other memory.
 */
static void client_check(struct client *c)
{
	word checked = c->checked;

	life_look(c);
	c->checked = c->life;
	if (c->life != checked || !(c->life & LIMPET_CLOSED))
		return;
	memory_free((word)c->memory);
	*c = (struct client){ 0 };
	clients_used--;
}

void clients_check(void)
{
	for (unsigned int i = 0; i < CLIENTS; i++)
		if (clients[i].component)
			client_check(&clients[i]);
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

/* Memory that it may attach: what it has, or new. The grant may have gone when this component was restored. */
static long memory_share(const struct client *c, uint32_t component, word *memory)
{
	long status = LIMPET_OK;

	*memory = (word)c->memory;
	if (!*memory)
		status = memory_allocate(pages, memory);
	if (status)
		return LIMPET_ENOMEM;
	status = memory_grant(*memory, component, LIMPET_READ | LIMPET_WRITE);
	if (!status)
		return LIMPET_OK;
	if (!c->memory)
		memory_free(*memory);
	return LIMPET_ENOMEM;
}

static long begin(uint32_t component, word *memory)
{
	struct client *c = record_of(component);
	long status;

	if (!c)
		c = record_of(0);
	if (!c)
		return LIMPET_EQUOTA;
	status = memory_share(c, component, memory);
	if (status)
		return status;
	clients_used += !c->component;
	sockets_drop(c);
	c->component = component;
	c->memory = (char *)*memory;
	c->life = life_of(component);
	return (long)(pages * LIMPET_PAGE);
}

long socket_serve_begin(word badge, struct socket_begin_results *out)
{
	if (badge < 2 || badge > LIMPET_COMPONENTS_MAX)
		return LIMPET_EQUOTA;
	core_enter();
	return core_leave(begin((uint32_t)(badge - 1), &out->memory));
}

long client_setup(const struct limpet_info *info)
{
	pages = (word)limpet_arg_number(info, "memory", 16);
	return pages && pages <= 256 ? LIMPET_OK : LIMPET_ERANGE;
}
