/* SPDX-License-Identifier: BSD-2-Clause */
/* A request of HTTP/1.1 (RFC 9112), taken apart. */
#ifndef REQUEST_H
#define REQUEST_H

#include "parsed.h"

/*
 * Takes the request at the beginning of `size` bytes apart: REQUEST_GOOD; the code of the answer that says
 * what is wrong; or REQUEST_INCOMPLETE, of which nothing is wrong so far. After an error that leaves
 * unknown where the next request begins `close` is set. Bytes that change meanwhile change what it
 * says, and nothing else. Linear in `size`.
 */
unsigned int request_parse(const char *text, size_t size, struct request *request);

#endif
