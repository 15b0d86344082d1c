/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Serves the connections to a port, each with its own thread, for components that import socket,
 * mem, sched and log under these names. The component needs its own thread and one spare thread for
 * each further simultaneous connection. Further clients wait.
 */
#ifndef SOCKET_SERVER_H
#define SOCKET_SERVER_H

#include <socket/socket.h>

struct server {
	uint16_t port;
	unsigned int connections; /* maximum at a time, 1 to 62 */
	/*
	 * Serves one connection, which is closed afterwards. `number`, 0 to connections - 1,
	 * identifies the thread. It must return soon after an error of the socket.
	 */
	void (*serve)(unsigned int number, long socket, const struct net_address *from);
};

/*
 * Serves connections and does not return. After a restart of the network component it opens the
 * port again. If there are too few spare threads for `connections`, it logs that and continues with
 * fewer. `server` must stay valid.
 */
_Noreturn void server_run(const struct server *server);

#endif
