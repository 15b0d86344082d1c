// SPDX-License-Identifier: GPL-2.0
/*
 * Sends four streams of 42,000 UDP datagrams a second each, until a time. It stands for hosts at the other end of a
 * network, so it runs with a real-time priority. A burst leaves as one packet that Linux segments on arrival
 * (UDP_SEGMENT), because a network card, too, delivers many datagrams with one interrupt. A rate that is not held is
 * an error.
 *
 *   packet_send UNTIL      in seconds of CLOCK_MONOTONIC
 */
#include <linux/udp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include "packets.h"

#define PRIORITY 90
#define MS 1000000ul
#define LATE (20 * MS) /* maximum lateness of a burst in ns */

static void burst_send(int fd, unsigned int stream, uint32_t number)
{
	struct sockaddr_in to = packets_address(stream);
	struct packet packets[BURST];
	uint64_t now = figure_time();

	for (unsigned int i = 0; i < BURST; i++)
		packets[i] = (struct packet){ stream, number + i, now };
	if (sendto(fd, packets, sizeof(packets), 0, (struct sockaddr *)&to, sizeof(to)) !=
	    sizeof(packets))
		figure_die("sendto");
}

static int socket_open(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0), size = sizeof(struct packet);

	if (fd < 0 || setsockopt(fd, IPPROTO_UDP, UDP_SEGMENT, &size, sizeof(size)))
		figure_die("UDP_SEGMENT");
	return fd;
}

int main(int argc, char **argv)
{
	uint64_t until, due;
	int fd = socket_open();

	if (argc != 2)
		figure_usage("packet_send UNTIL");
	until = figure_number(argv[1]) * CLOCK_SECOND;
	figure_pin(0);
	figure_realtime(PRIORITY);
	due = clock_now();
	for (uint32_t number = 1; due < until; number += BURST, due += MS) {
		const struct timespec when = { (time_t)(due / CLOCK_SECOND),
					       (long)(due % CLOCK_SECOND) };

		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL);
		if (clock_now() > due + LATE) {
			fprintf(stderr, "packet_send: burst %lu is late\n", number / BURST);
			return 1;
		}
		for (unsigned int stream = 0; stream < STREAMS; stream++)
			burst_send(fd, stream, number);
	}
	return 0;
}
