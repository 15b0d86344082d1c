/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A channel of the bridge: the node /dev/limpet/NAME, open for nonblocking reads and writes. A port closes when its
 * component stops or its system ends, and opens again after the restart. It reports both.
 *
 * A channel name that contains a / is a path. The path can be that of a FIFO, to try a table without a system.
 */
#ifndef CLI_BRIDGE_PORT_H
#define CLI_BRIDGE_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct port {
	const char *name;
	int fd;		   /* -1: closed */
	int reported;	   /* last errno that was reported for the closed port */
	bool ended;	   /* the component has stopped; its last messages can be read */
	bool reads;	   /* a row publishes its messages */
	uint64_t connects; /* number of times that it was opened */
};

/*
 * Opens a closed port if possible. Returns true, too, if the component or system does not run yet. Reports other errors
 * and returns false: no permission, another process has the channel, or the channel does not have mode messages.
 */
bool port_open(struct port *port);

/*
 * Reads one message. Returns its length, or -1 if the channel is empty. Closes the port after the last message. `size`
 * must be longer than any message of a channel, which keeps a message that does not fit.
 */
ssize_t port_read(struct port *port, void *message, size_t size);

/*
 * Writes one message. Returns false if that is not possible now. Closes the port if the component has stopped, unless a
 * row still reads its last messages.
 */
bool port_write(struct port *port, const void *message, size_t size);

/* Handles POLLHUP, the end of the component or the system. */
void port_hang_up(struct port *port);

#endif
