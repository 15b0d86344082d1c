// SPDX-License-Identifier: BSD-2-Clause
/*
 * Starts and ends the service for client components. The memory shared with a client belongs to this component, so that
 * other components cannot free it while it is used. The client can change its contents at any time.
 */
#include <lwip/timeouts.h>

#include <runtime/kernel_call.h>

#include <export/socket.h>
#include <import/memory.h>

#include "net.h"

#define CHECK_MS 100u /* time between two checks for stopped clients */

/*
 * Returns how often a component was stopped, with LIMPET_CLOSED while it is closed. Needs the privilege `clients`.
 */
static word life_of(uint32_t component)
{
	struct limpet_out out;
	long status =
		limpet_call_cap_info(LIMPET_SLOT_TABLE, LIMPET_SLOT_COMPONENTS + component, &out);

	return status ? 0 : out.w2;
}

void socket_drop(struct socket *socket, bool abort)
{
	if (socket->kind == KIND_DATAGRAMS)
		datagram_drop(socket);
	else
		stream_drop(socket, abort);
}

static void sockets_drop(struct client *client)
{
	for (unsigned int i = 0; i < CLIENT_SOCKETS; i++)
		if (client->socket[i])
			socket_drop(client->socket[i], true);
}

/* Drops the sockets of a client's earlier life. */
static void life_look(struct client *client)
{
	word life = life_of(client->component);

	if (client->life != life)
		sockets_drop(client);
	client->life = life;
}

/* Returns NULL for a closed component, because one of its threads may still have been on its way here. */
struct client *client_find(word badge)
{
	struct client *client = client_record((uint32_t)(badge - 1));

	if (!client)
		return NULL;
	life_look(client);
	return client->component && !(client->life & LIMPET_CLOSED) ? client : NULL;
}

/*
 * Removes a client that was closed at this check and the one before. Restoring a component takes much less time than
 * the interval, so the client will not come back. If it does, it starts with other memory.
 */
static void client_check(struct client *client)
{
	word checked = client->checked;

	life_look(client);
	client->checked = client->life;
	if (client->life != checked || !(client->life & LIMPET_CLOSED))
		return;
	memory_free((word)client->memory);
	*client = (struct client){ .event = client->event };
	clients_used--;
}

static void clients_check(void)
{
	for (unsigned int i = 0; i < CLIENTS; i++)
		if (client_records[i].component)
			client_check(&client_records[i]);
}

static void life_check(void *nothing)
{
	clients_check();
	sys_timeout(CHECK_MS, life_check, nothing);
}

void life_setup(void)
{
	sys_timeout(CHECK_MS, life_check, NULL);
}

/*
 * Grants a client its shared memory, or new memory. Grants existing memory again, because a restore of this component
 * may have removed the grant.
 */
static long memory_share(const struct client *client, uint32_t component, word *memory)
{
	long status = LIMPET_OK;

	*memory = (word)client->memory;
	if (!*memory)
		status = memory_allocate(client_pages, memory);
	if (status)
		return LIMPET_ENOMEM;
	status = memory_grant(*memory, component, LIMPET_READ | LIMPET_WRITE);
	if (!status)
		return LIMPET_OK;
	if (!client->memory)
		memory_free(*memory);
	return LIMPET_ENOMEM;
}

static long client_begin(uint32_t component, word *memory)
{
	struct client *client = client_record(component);
	long status;

	if (!client)
		client = client_record(0);
	if (!client)
		return LIMPET_EQUOTA;
	status = memory_share(client, component, memory);
	if (status)
		return status;
	clients_used += !client->component;
	sockets_drop(client);
	client->component = component;
	client->memory = (char *)*memory;
	client->life = life_of(component);
	return (long)(client_pages * LIMPET_PAGE);
}

long socket_serve_begin(word badge, struct socket_begin_results *out)
{
	if (badge < 2 || badge > LIMPET_COMPONENTS_MAX)
		return LIMPET_EQUOTA;
	core_enter();
	return core_leave(client_begin((uint32_t)(badge - 1), &out->memory));
}
