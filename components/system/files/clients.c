// SPDX-License-Identifier: BSD-2-Clause
#include <import/mem.h>

#include "files.h"

struct client {
	word badge; /* 0: free */
	word at, pages;
};

static struct client clients[CLIENTS_MAX];

static struct client *client_find(word badge)
{
	for (uint32_t i = 0; i < CLIENTS_MAX; i++)
		if (clients[i].badge == badge)
			return &clients[i];
	return NULL;
}

long client_share(word badge, word pages, word *address)
{
	struct client *client = client_find(badge);
	bool known = client;
	long status = LIMPET_OK;
	word at;

	if (!pages || pages > PAGES_MAX || (known && client->pages != pages))
		return LIMPET_ERANGE;
	client = known ? client : client_find(0);
	if (!client)
		return LIMPET_EFULL;
	if (!known) {
		status = mem_allocate(pages, &at);
		if (status)
			return status;
		*client = (struct client){ badge, at, pages };
	}
	/*
	 * Grants the memory again even to a known client, because a restart of the client may have
	 * revoked the grant.
	 */
	status = mem_grant(client->at, badge - 1, LIMPET_READ | LIMPET_WRITE);
	if (!status)
		*address = client->at;
	return status;
}

char *client_memory(word badge, word at, word length)
{
	const struct client *client = badge ? client_find(badge) : NULL;
	word size = client ? client->pages * LIMPET_PAGE : 0;

	if (!client || at < client->at || length > size || at - client->at > size - length)
		return NULL;
	return (char *)at;
}
