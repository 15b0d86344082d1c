// SPDX-License-Identifier: BSD-2-Clause
#include <http/share.h>
#include <http/store.h>

#include <import/mem.h>

static long both_share(struct http_store *store, word reader, word slots, word size,
		       struct content_open_results *out)
{
	long status = http_share(slots * HTTP_PATH_SIZE, store->client - 1,
				 LIMPET_READ | LIMPET_WRITE, &out->paths);

	if (status)
		return status;
	status = http_share(size, reader, LIMPET_READ, &out->bodies);
	if (status)
		mem_free(out->paths);
	return status;
}

long http_store_open(struct http_store *store, word badge, word reader, word slots, word size,
		     struct content_open_results *out)
{
	long status;

	if (!slots || slots > HTTP_SLOTS_MAX)
		return LIMPET_ERANGE;
	if (store->client)
		return LIMPET_ESTATE;
	store->client = badge; /* first: others may ask while the memory manager is asked */
	status = both_share(store, reader, slots, size, out);
	if (status) {
		store->client = 0;
		return status;
	}
	store->paths = (void *)out->paths;
	store->bodies = (void *)out->bodies;
	store->slots = slots;
	return LIMPET_OK;
}

long http_store_check(const struct http_store *store, word badge, word slot, word length)
{
	if (!store->slots || badge != store->client)
		return LIMPET_ESTATE;
	return slot < store->slots && length < HTTP_PATH_SIZE ? LIMPET_OK : LIMPET_ERANGE;
}
