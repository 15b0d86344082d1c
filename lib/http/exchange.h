/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines the memory that the parts of the HTTP server share. A server owns the memory, and lets
 * its client attach it:
 *
 *	http.accept            http.parse               http.files, http.status
 *	writes a request  ──►  slot: request page
 *	reads            ◄──   slot: answer page
 *	                       writes a path       ──►  paths: HTTP_PATH_SIZE of each slot
 *	reads            ◄─────────────────────────     bodies
 *
 * A slot belongs to one connection. The reader checks all lengths, because the writer is not
 * trusted.
 */
#ifndef HTTP_EXCHANGE_H
#define HTTP_EXCHANGE_H

#include <runtime/types.h>

#define HTTP_SLOTS_MAX 32
#define HTTP_REQUEST_MAX 4096	   /* bytes of a request line and its fields */
#define HTTP_BODY_MAX (64ul << 10) /* bytes of a request's body, which is skipped */
#define HTTP_PATH_SIZE 256	   /* bytes of a decoded path, one more than the longest */
#define HTTP_AREAS_MAX 4	   /* of bodies */

/* The answer to a request. */
struct http_answer {
	uint32_t code;	 /* 200 ... */
	uint32_t used;	 /* bytes of the slot's request that it answers */
	uint64_t skip;	 /* bytes of the request's body, which follow them */
	uint32_t close;	 /* 1: the connection is closed after the answer */
	uint32_t head;	 /* bytes of `text`: status line and fields, of an error also the page */
	uint64_t body;	 /* address in one of the areas */
	uint64_t length; /* bytes there; 0: none */
	char text[2048];
};

struct http_slot {
	char request[HTTP_REQUEST_MAX];
	struct http_answer answer;
	char unused[4096 - sizeof(struct http_answer)];
};

_Static_assert(sizeof(struct http_slot) == 8192, "a slot is two pages");

#endif
