/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory of a server of contents: paths, which its client writes, and bodies, which the reader reads. For
 * components that export content and import mem under these names.
 */
#ifndef HTTP_STORE_H
#define HTTP_STORE_H

#include <http/exchange.h>

#include <export/content.h>

struct http_store {
	char (*paths)[HTTP_PATH_ROOM]; /* of each slot */
	void *bodies;
	word slots;  /* 0: it is not open */
	word client; /* the badge of who may have something found; 0: nobody has asked */
};

/*
 * Does what content's open is to do: makes the memory, with `size` bytes of bodies, 1 to 1 MiB, and tells where it
 * is. LIMPET_ERANGE: slots; LIMPET_ESTATE: it is open; or an error of http_share(). An error has changed nothing.
 */
long http_store_open(struct http_store *store, word badge, word reader, word slots, word size,
		     struct content_open_results *out);

/* What content's find may ask. LIMPET_ESTATE: badge has not opened it; LIMPET_ERANGE: slot or length. */
long http_store_check(const struct http_store *store, word badge, word slot, word length);

#endif
