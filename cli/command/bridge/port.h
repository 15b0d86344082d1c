/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A channel of the bridge: the node /dev/limpet/NAME, open for reading and writing without waiting. A port closes when
 * its component stops or its system ends, and opens again for the next life. It reports both.
 *
 * A channel whose name has a / is a path. The path can also be a FIFO, so that a table can be tried without a system.
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
	int reported;	   /* errno that was reported last for the closed port */
	bool ended;	   /* the component has stopped; what is left can be read */
	bool reads;	   /* a row publishes what comes from it */
	uint64_t connects; /* times that it was opened */
};

/*
 * Opens a closed port if possible. Returns false for errors that waiting does not repair: no permission, another
 * process has the channel, or the channel does not have messages. They are reported.
 */
bool port_open(struct port *port);

/* Reads one message. Returns its length, or -1 if there is none now. Closes the port at its end. */
ssize_t port_read(struct port *port, void *message, size_t size);

/*
 * Writes one message. Returns false if that is not possible now. Closes the port at its end, unless a row still reads
 * what is left.
 */
bool port_write(struct port *port, const void *message, size_t size);

/* Handles POLLHUP. */
void port_hang_up(struct port *port);

#endif
