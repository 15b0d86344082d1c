/* SPDX-License-Identifier: GPL-2.0 */
/* Answers to HTTP requests. */
#ifndef EXPORTER_ANSWER_H
#define EXPORTER_ANSWER_H

#include <stdbool.h>
#include <stddef.h>

/* The status for a request whose head is longer than HTTP_REQUEST bytes. */
#define ANSWER_TOO_LONG "431 Request Header Fields Too Large"

/* A page of the server. The last page in a list has the path NULL. */
struct answer_page {
	const char *path;
	const char *type; /* value of the header Content-Type */
	/* Makes the content of `*size` bytes, which the caller frees. Returns NULL if memory runs out. */
	char *(*make)(size_t *size);
};

/*
 * Returns the whole answer to a request, or NULL if memory runs out. `head` is the request's text up to the empty line.
 * The caller frees the answer.
 */
char *answer_request(const char *head, const struct answer_page *pages, size_t *size);
/*
 * Returns an answer that has only a status, such as "404 Not Found", or NULL if memory runs out. The caller frees it.
 * The answer has no body unless `body` is set.
 */
char *answer_status(const char *status, bool body, size_t *size);

#endif
