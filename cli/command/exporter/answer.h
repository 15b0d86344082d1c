/* SPDX-License-Identifier: GPL-2.0 */
/* Answers to HTTP requests. */
#ifndef EXPORTER_ANSWER_H
#define EXPORTER_ANSWER_H

#include <stdbool.h>
#include <stddef.h>

/* To a request's head that did not end in HTTP_REQUEST bytes. */
#define ANSWER_TOO_LONG "431 Request Header Fields Too Large"

/*
 * The whole answer to a request, of which `head` is the text up to the empty line; free() it. NULL: no memory.
 * `page` makes what is at /metrics.
 */
char *answer_request(const char *head, char *(*page)(size_t *size), size_t *size);
/* An answer that is a status alone, "404 Not Found"; without body to HEAD. free() it. NULL: no memory. */
char *answer_status(const char *status, bool body, size_t *size);

#endif
