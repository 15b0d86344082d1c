/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses a request of HTTP/1.1 (RFC 9112). */
#ifndef REQUEST_H
#define REQUEST_H

#include "parsed.h"

/*
 * Parses the request at the start of `size` bytes. Returns REQUEST_GOOD, the code of an error, or
 * REQUEST_INCOMPLETE if the bytes so far are valid. Sets `close` after an error that leaves the
 * start of the next request unknown. Bytes that change meanwhile change only the result. The cost
 * is linear in `size`.
 */
unsigned int request_parse(const char *text, size_t size, struct request *request);

#endif
