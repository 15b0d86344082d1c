/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of HTTP/1.1 that a scraper or a browser needs: GET and HEAD of some pages, one answer for each connection. One
 * thread serves all. The number of connections, the length of a request and the time for it are bounded. A new client beyond
 * the bound replaces the one that has been connected longest.
 */
#ifndef EXPORTER_HTTP_H
#define EXPORTER_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cli/command/exporter/answer.h>

#define HTTP_ADDRESS 80 /* bytes of the text of an address */
#define HTTP_CONNECTIONS 16
#define HTTP_REQUEST 4096 /* bytes of a request's head */
#define HTTP_SECONDS 5	  /* from connecting to having the answer */

enum http_state {
	HTTP_FREE = 0,
	HTTP_READS, /* the request's head */
	HTTP_WRITES,
	HTTP_ENDS, /* the answer is sent; further bytes of the client are dropped */
};

struct http_connection {
	enum http_state state;
	int fd;
	uint64_t until; /* ns of CLOCK_MONOTONIC */
	size_t got;
	char request[HTTP_REQUEST + 1];
	char *answer;
	size_t size, sent;
};

struct http {
	int listener;
	const struct answer_page *pages;
	struct http_connection connection[HTTP_CONNECTIONS];
};

/*
 * Listens at "ADDRESS:PORT", such as 127.0.0.1:9740 or [::1]:9740, or at all addresses with ":9740". Returns 0 or a
 * negative errno: -EINVAL if `where` does not have this form.
 */
int http_listen(struct http *http, const char *where, const struct answer_page *pages);
/*
 * Writes the address at which it listens as text, with the port that Linux has chosen for port 0: "127.0.0.1:9740",
 * "[::1]:9740" or "all addresses, port 9740". Returns the port, or a negative errno.
 */
int http_address(const struct http *http, char *to, size_t size);
/* Waits for events of the connections for at most `ms` (-1: without limit), and handles them. Returns 0 or a negative errno. */
int http_step(struct http *http, int ms);
void http_close(struct http *http);

#endif
