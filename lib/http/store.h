/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Manages the memory of a content server: paths, which its client writes, and bodies, which the
 * reader reads. For components that export content and import mem under these names.
 */
#ifndef HTTP_STORE_H
#define HTTP_STORE_H

#include <http/exchange.h>

#include <export/content.h>

struct http_store {
	char (*paths)[HTTP_PATH_SIZE]; /* of each slot */
	void *bodies;
	word slots;  /* 0: the store is not open */
	word client; /* badge of the client that may call find; 0: the store was never opened */
};

/*
 * Implements the function open of interface content: allocates the memory, with `size` bytes of
 * bodies, 1 to 1 MiB, and stores its addresses in `out`. LIMPET_ERANGE: slots; LIMPET_ESTATE: the
 * store is open; or an error of http_share(). An error has no effect.
 */
long http_store_open(struct http_store *store, word badge, word reader, word slots, word size,
		     struct content_open_results *out);

/*
 * Checks the arguments of content's find. LIMPET_ESTATE: badge has not opened it; LIMPET_ERANGE:
 * slot or length.
 */
long http_store_check(const struct http_store *store, word badge, word slot, word length);

#endif
