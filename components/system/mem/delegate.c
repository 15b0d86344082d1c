// SPDX-License-Identifier: BSD-2-Clause
/*
 * Memory managers among the clients. Frames are split off as a capability for the other manager,
 * which manages them as the first one does. It cannot reach other frames.
 */
#include <runtime/component.h>
#include <runtime/kernel_call.h>

#include <export/mem.h>
#include <import/parent.h>

#include "frames.h"
#include "mem.h"

/* Returns the slot of the client's capability table. */
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

/*
 * Asks the parent for frames. A manager with frames from the booter has no parent, because the
 * system file does not connect that import.
 */
long parent_ask(uint32_t pages)
{
	long status = parent_delegate(pages);

	return status == LIMPET_ESLOT ? LIMPET_OK : status;
}
