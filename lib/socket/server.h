/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Serves the connections that come to a port, each by a thread of its own, for components that import
 * socket, mem, sched and log under these names. The component needs a thread, and spare ones: one fewer than
 * there are to be connections at a time. Further clients wait.
 */
#ifndef SOCKET_SERVER_H
#define SOCKET_SERVER_H

#include <socket/socket.h>

struct server {
	uint16_t port;
	unsigned int connections; /* at a time, 1 to 62 */
	/*
	 * Serves one connection, which is closed afterwards; `number`, 0 to connections - 1, is that of the
	 * thread. It is to return soon when the socket gives an error.
	 */
	void (*serve)(unsigned int number, long socket, const struct net_address *from);
};

/*
 * Serves for ever; does not return. When the stack has crashed and is there again, the port is opened again.
 * With fewer spare threads than `connections` says it says so, and goes on with those. `server` is to stay.
 */
_Noreturn void server_run(const struct server *server);

#endif
