/* SPDX-License-Identifier: BSD-2-Clause */
/* A request of HTTP/1.1 (RFC 9112), taken apart. */
#ifndef REQUEST_H
#define REQUEST_H

#include <http/exchange.h>

#define REQUEST_INCOMPLETE 0
#define REQUEST_GOOD 200
#define REQUEST_FIELDS_MOST 64

struct request {
	size_t used;   /* bytes of request line and fields */
	uint64_t skip; /* bytes of body behind them */
	bool head;     /* HEAD: the answer has no body */
	bool close;    /* nothing can, or shall, follow it on this connection */
	size_t length; /* of the path */
	char path[HTTP_PATH_ROOM];
};

/*
 * Takes the request at the beginning of `size` bytes apart: REQUEST_GOOD; the code of the answer that says
 * what is wrong; or REQUEST_INCOMPLETE, of which nothing is wrong so far. After an error that leaves
 * unknown where the next request begins `close` is set. Bytes that change meanwhile change what it
 * says, and nothing else. Linear in `size`.
 */
unsigned int request_parse(const char *text, size_t size, struct request *request);

#endif
