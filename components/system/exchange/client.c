// SPDX-License-Identifier: BSD-2-Clause
/* The records of the clients. share.c starts and restarts a client. */
#include <export/exchange.h>
#include <import/mem.h>

#include "exchange.h"

#define PAGES_EACH 256
#define PAGES_MAX 4096

struct lock exchange_lock;
static struct client clients[CLIENTS];
static uint32_t pages_each = PAGES_EACH;

long component_init(const struct limpet_info *info)
{
	const int64_t pages = limpet_arg_number(info, "pages-each", PAGES_EACH);

	if (pages < 1 || pages > PAGES_MAX)
		return LIMPET_ERANGE;
	pages_each = (uint32_t)pages;
	return LIMPET_OK;
}

struct client *client_of(word badge)
{
	for (unsigned int i = 0; i < CLIENTS; i++)
		if (clients[i].badge && clients[i].badge == badge)
			return &clients[i];
	return NULL;
}

struct client *client_at(unsigned int index)
{
	return &clients[index];
}

long client_allocate(struct client *client, uint64_t bytes, void **memory, uint32_t *pages)
{
	const uint64_t wanted = (bytes + LIMPET_PAGE - 1) / LIMPET_PAGE;
	word address;
	long status;

	if (wanted > pages_each - client->pages)
		return LIMPET_EQUOTA;
	status = mem_allocate(wanted, &address);
	if (status < 0)
		return status == LIMPET_ENOMEM ? status : LIMPET_EQUOTA;
	*memory = (void *)address;
	*pages = (uint32_t)wanted;
	client->pages += *pages;
	return LIMPET_OK;
}

void client_free(struct client *client, const void *memory, uint32_t pages)
{
	mem_free((word)memory);
	client->pages -= pages;
}

bool client_take_over(struct client *to, struct client *from, uint32_t pages)
{
	if (pages > pages_each - to->pages)
		return false;
	from->pages -= pages;
	to->pages += pages;
	return true;
}

word client_watcher(const struct client *mover, unsigned int fifo, unsigned int *from)
{
	while (*from < CLIENTS) {
		struct client *client = &clients[(*from)++];

		if (client == mover || !client->watcher || !(client->watched >> fifo & 1))
			continue;
		__atomic_fetch_or(&client->window->moved, 1ul << fifo, __ATOMIC_SEQ_CST);
		return client->watcher;
	}
	return 0;
}

struct client *client_make(word badge, long *status)
{
	struct client *client = clients;
	word address;

	while (client < clients + CLIENTS && client->badge)
		client++;
	*status = LIMPET_EFULL;
	if (client == clients + CLIENTS)
		return NULL;
	*status = mem_allocate(EXCHANGE_PAGES, &address);
	if (*status < 0)
		return NULL;
	*client = (struct client){
		.badge = badge,
		.opener = 1u << (client - clients),
		.window = (void *)address,
	};
	return client;
}

long exchange_serve_fifo_watch(word badge, word fifos, word thread)
{
	struct client *client;

	lock_take(&exchange_lock);
	client = client_of(badge);
	if (client) {
		client->watched = fifos;
		client->watcher = thread;
	}
	lock_drop(&exchange_lock);
	return client ? LIMPET_OK : LIMPET_ESTATE;
}
