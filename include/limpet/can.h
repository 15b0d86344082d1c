/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames of a CAN bus for components: messages of a channel between component `can` and `limpet
 * proxy`, which uses a SocketCAN interface of Linux. Version 1.
 *
 * The proxy sends a status message when it starts, and after each change of the status. The
 * component sends frames only. Each side copies a message of the other side and checks each field of
 * the copy.
 */
#ifndef LIMPET_CAN_H
#define LIMPET_CAN_H

#include <stdint.h>

/*
 * Flags of an identifier, as in <linux/can.h>. Without EXTENDED the identifier has 11 bits, otherwise
 * 29. A remote request has a length and no data. The identifier of an error frame is a set of error
 * classes, and its data are those of <linux/can/error.h>. Only the proxy sends error frames.
 */
#define LIMPET_CAN_EXTENDED 0x80000000u
#define LIMPET_CAN_REMOTE 0x40000000u
#define LIMPET_CAN_ERROR 0x20000000u

#define LIMPET_CAN_ID 0x7ffu		   /* identifiers without EXTENDED */
#define LIMPET_CAN_ID_EXTENDED 0x1fffffffu /* identifiers with it, and error classes */
#define LIMPET_CAN_DATA 8u		   /* maximum number of bytes in a frame */

/* State of the interface. In WARNING and above, the controller has counted errors on the bus. */
enum limpet_can_state {
	LIMPET_CAN_ABSENT = 0, /* no proxy uses the channel */
	LIMPET_CAN_DOWN = 1,   /* the interface is down or does not exist */
	LIMPET_CAN_ACTIVE = 2,
	LIMPET_CAN_WARNING = 3,
	LIMPET_CAN_PASSIVE = 4,
	LIMPET_CAN_BUS_OFF = 5, /* the controller takes no part in the bus until it is restarted */
};

enum limpet_can_what {
	LIMPET_CAN_FRAME = 1,
	LIMPET_CAN_STATUS = 2,
};

struct limpet_can_frame {
	uint32_t what;	 /* LIMPET_CAN_FRAME */
	uint32_t id;	 /* the identifier and its flags */
	uint32_t length; /* bytes of data, 0 to 8 */
	uint32_t age;	 /* ns between the arrival in Linux and `time`; to the proxy: 0 */
	uint64_t time;	 /* time stamp counter when the proxy read the frame; to the proxy: 0 */
	uint8_t data[LIMPET_CAN_DATA]; /* bytes after the length are 0 */
};

#define LIMPET_CAN_UP 1u    /* the interface exists and is up */
#define LIMPET_CAN_FIRST 2u /* first message of this proxy, whose counters started at 0 */

struct limpet_can_status {
	uint32_t what;	 /* LIMPET_CAN_STATUS */
	uint32_t flags;	 /* LIMPET_CAN_UP, LIMPET_CAN_FIRST */
	uint32_t unsent; /* frames of the component that this proxy could not send, modulo 2^32 */
	uint32_t missed; /* frames from the bus that Linux dropped, modulo 2^32 */
};

_Static_assert(sizeof(struct limpet_can_frame) == 32, "no gaps");
_Static_assert(sizeof(struct limpet_can_status) == 16, "no gaps");

#endif
