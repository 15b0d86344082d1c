// SPDX-License-Identifier: BSD-2-Clause
/*
 * Memory managers among the clients: frames of the one are split off for the other, as a capability, and
 * with them it is a memory manager like the first. It cannot get at more.
 */
#include <runtime/component.h>
#include <runtime/kernel_call.h>

#include <export/mem.h>
#include <import/parent.h>

#include "frames.h"
#include "mem.h"

/* Its capability table, and what it has got. */
static word table_of(const struct client *client)
{
	return LIMPET_SLOT_TABLES + client_index(client);
}

static long split_off(struct client *client, uint32_t pages)
{
	long status = frames_allow(client, pages);
	uint32_t first;

	if (status)
		return status;
	if (!frames_get(pages, &first))
		return LIMPET_ENOMEM;
	if (!frames_name(first, pages, table_of(client), LIMPET_SLOT_FRAMES)) {
		frames_put(first, pages);
		return LIMPET_ENOMEM;
	}
	client->used += pages;
	return LIMPET_OK;
}

static long delegate(struct client *client, word pages)
{
	struct limpet_out out;
	long status = limpet_call_cap_info(table_of(client), LIMPET_SLOT_FRAMES, &out);

	if (!status)
		return out.w2 == pages ? LIMPET_OK : LIMPET_ESTATE;
	if (limpet_call_cap_info(LIMPET_SLOT_TABLE, table_of(client), &out))
		return LIMPET_ERIGHTS;
	return pages > client->quota ? LIMPET_EQUOTA : split_off(client, (uint32_t)pages);
}

long mem_serve_delegate(word badge, word pages)
{
	struct client *client;
	long status;

	if (!pages)
		return LIMPET_ERANGE;
	status = client_enter(badge, &client);
	return status ? status : client_leave(delegate(client, pages));
}

/* A manager whose frames the booter gave has no parent: the system file left that import out. */
long parent_ask(uint32_t pages)
{
	long status = parent_delegate(pages);

	return status == LIMPET_ESLOT ? LIMPET_OK : status;
}
