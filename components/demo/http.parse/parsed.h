/* SPDX-License-Identifier: BSD-2-Clause */
/* A parsed HTTP/1.1 request. */
#ifndef PARSED_H
#define PARSED_H

#include <http/exchange.h>

#define REQUEST_INCOMPLETE 0
#define REQUEST_GOOD 200
#define REQUEST_FIELDS_MAX 64

struct request {
	size_t used;   /* maximum bytes of request line and fields */
	uint64_t skip; /* maximum bytes of the body after them */
	bool head;     /* HEAD: the answer has no body */
	bool close;    /* the connection ends after the request */
	size_t length; /* bytes of the path */
	char path[HTTP_PATH_SIZE];
};

#endif
