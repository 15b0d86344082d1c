/* SPDX-License-Identifier: GPL-2.0 */
/* Definitions that the sender of the packet streams and the tasks share. */
#ifndef BENCH_EXEC_PACKETS_H
#define BENCH_EXEC_PACKETS_H

#include <netinet/in.h>

#include "../clock.h"
#include "../figure.h"

#define STREAMS 4
#define PORT 9000      /* port of the first stream */
#define BURST 42ul     /* datagrams of a stream in a millisecond */
#define PERIOD_MS 10ul /* the promises are judged in each period */

/* A datagram of 16 bytes. */
struct packet {
	uint32_t stream, number; /* the first number is 1 */
	uint64_t sent;		 /* time stamp */
};

/* Returns the address of a stream's task on the loopback device. */
static inline struct sockaddr_in packets_address(unsigned int stream)
{
	return (struct sockaddr_in){ .sin_family = AF_INET,
				     .sin_port = htons((uint16_t)(PORT + stream)),
				     .sin_addr = { htonl(INADDR_LOOPBACK) } };
}

#endif
