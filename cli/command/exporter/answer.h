/* SPDX-License-Identifier: GPL-2.0 */
/* Answers to HTTP requests. */
#ifndef EXPORTER_ANSWER_H
#define EXPORTER_ANSWER_H

#include <stdbool.h>
#include <stddef.h>

/* To a request's head that did not end in HTTP_REQUEST bytes. */
#define ANSWER_TOO_LONG "431 Request Header Fields Too Large"

/* A page that is offered. A list of pages ends with a path of NULL. */
struct answer_page {
	const char *path;
	const char *type; /* of its content, for the header */
	/* Makes the content, `*size` bytes, which the caller frees. Returns NULL if there is no memory. */
	char *(*make)(size_t *size);
};

/*
 * Returns the whole answer to a request, of which `head` is the text up to the empty line, or NULL if there is no memory. The
 * caller frees it.
 */
char *answer_request(const char *head, const struct answer_page *pages, size_t *size);
/*
 * Returns an answer that is a status alone, such as "404 Not Found", or NULL if there is no memory. The caller frees it. The
 * answer to HEAD has no body.
 */
char *answer_status(const char *status, bool body, size_t *size);

#endif
