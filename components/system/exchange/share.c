// SPDX-License-Identifier: BSD-2-Clause
/* Shares a window with a client, and drops what the client had before it was restarted. */
#include <export/exchange.h>
#include <import/mem.h>

#include "exchange.h"

/* Grants the memory again to a known client, because a restart of the client may have revoked the grant. */
static long share(word badge, word *address)
{
	struct client *client = client_of(badge);
	long status;

	if (client) {
		waiters_drop(client);
		queues_drop(client);
		fifos_drop(client);
		client->watched = 0;
		client->window->notified = client->window->moved = 0;
	} else {
		client = client_make(badge, &status);
		if (!client)
			return status;
	}
	*address = (word)client->window;
	return mem_grant(*address, badge - 1, LIMPET_READ | LIMPET_WRITE);
}

long exchange_serve_share(word badge, struct exchange_share_results *out)
{
	long status;

	lock_take(&exchange_lock);
	status = share(badge, &out->address);
	lock_drop(&exchange_lock);
	return status;
}
