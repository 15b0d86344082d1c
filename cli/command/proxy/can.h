/* SPDX-License-Identifier: GPL-2.0 */
/* Carries CAN frames between a SocketCAN interface and component `can`, <limpet/can.h>. */
#ifndef CLI_PROXY_CAN_H
#define CLI_PROXY_CAN_H

#include <stdbool.h>
#include <stddef.h>

#include <limpet/can.h>

struct can_bus {
	const char *interface;
	int socket; /* -1: the interface does not exist */
	bool up;
	bool first;		 /* the next status is this proxy's first */
	bool status_due;	 /* the component does not know the status */
	uint32_t unsent, missed; /* counters of struct limpet_can_status */
	uint32_t overflows;	 /* frames that the present socket has dropped */
	/* Frames that wait for space, to the interface and to the channel. `what` is 0 without a frame. */
	struct limpet_can_frame to_bus, from_bus;
};

/*
 * Opens a socket on the interface, which may be down. Returns false and writes a line to `error` if Linux has no such
 * CAN interface, or no SocketCAN. The interface's name must live as long as the bus.
 */
bool can_open(struct can_bus *bus, const char *interface, char *error, size_t size);
/*
 * Carries frames until the channel's other side has ended. Returns 0 then, or a negative errno on failure. `channel` is
 * the node in non-blocking mode. The interface can go down and up, and can be removed and created again.
 */
int can_serve(struct can_bus *bus, int channel);
void can_close(struct can_bus *bus);

#endif
