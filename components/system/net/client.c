// SPDX-License-Identifier: BSD-2-Clause
/* The records of the client components. life.c creates and removes them. */
#include "net.h"

struct client client_records[CLIENTS];
uint32_t clients_used;
word client_pages;

struct client *client_record(uint32_t component)
{
	for (unsigned int i = 0; i < CLIENTS; i++)
		if (client_records[i].component == component)
			return &client_records[i];
	return NULL;
}

uint32_t client_share(void)
{
	return ARRIVALS / (clients_used + 1);
}

void *client_memory(const struct client *client, word offset, word length)
{
	word size = client_pages * LIMPET_PAGE;

	return offset <= size && length <= size - offset ? client->memory + offset : NULL;
}

long client_number(const struct client *client)
{
	for (unsigned int i = 0; i < CLIENT_SOCKETS; i++)
		if (!client->socket[i])
			return i;
	return -1;
}

long client_setup(const struct limpet_info *info)
{
	client_pages = (word)limpet_arg_number(info, "memory", 16);
	return client_pages && client_pages <= 256 ? LIMPET_OK : LIMPET_ERANGE;
}
