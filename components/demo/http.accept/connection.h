/* SPDX-License-Identifier: BSD-2-Clause */
/* One client's connection. */
#ifndef CONNECTION_H
#define CONNECTION_H

#include <http/exchange.h>
#include <socket/socket.h>

struct area {
	word begin, end;
};

struct settings {
	unsigned int requests;
	uint64_t idle, request, send; /* ticks */
	bool log;
	struct http_slot *slots;
	struct area areas[HTTP_AREAS_MAX];
};

extern struct settings settings;

/* Serves a connection until it ends. No other connection uses slot `number` meanwhile. */
void connection_serve(unsigned int number, long socket, const struct net_address *from);

#endif
