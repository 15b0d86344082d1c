// SPDX-License-Identifier: GPL-2.0
/*
 * Simulated EtherCAT slaves on a network device. They read commands: "drop N" disconnects slave N, "back N" switches it
 * on again, "fall N" makes it leave OP, "lose N" drops the next N frames. They print "ready" when they receive frames,
 * and each command after its execution. They end with the input.
 */
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../lib/ethercat_slaves.h"

#define ETHERCAT 0x88a4
#define FRAME_MAX 2048

static struct sim_slave slaves[SIM_SLAVES];
static unsigned int lose;

static int device_open(const char *name)
{
	struct sockaddr_ll address = { .sll_family = AF_PACKET,
				       .sll_protocol = htons(ETHERCAT),
				       .sll_ifindex = (int)if_nametoindex(name) };
	int fd = socket(AF_PACKET, SOCK_RAW, htons(ETHERCAT));

	if (fd < 0 || bind(fd, (const struct sockaddr *)&address, sizeof(address))) {
		perror(name);
		exit(1);
	}
	return fd;
}

static void frame_serve(int fd)
{
	uint8_t frame[FRAME_MAX];
	struct sockaddr_ll from = { 0 };
	socklen_t length = sizeof(from);
	ssize_t size =
		recvfrom(fd, frame, sizeof(frame), MSG_DONTWAIT, (struct sockaddr *)&from, &length);

	if (size < 0 || from.sll_pkttype == PACKET_OUTGOING)
		return;
	if (!sim_frame(slaves, frame, (uint32_t)size)) {
		printf("invalid frame of %zd bytes\n", size);
		return;
	}
	if (lose)
		lose--;
	else if (write(fd, frame, (size_t)size) != size)
		perror("write");
}

/* Carries out a command. Returns false at the end of the input. */
static bool command_serve(void)
{
	char line[32], word[16];
	unsigned int number;

	if (!fgets(line, sizeof(line), stdin))
		return false;
	if (sscanf(line, "%15s %u", word, &number) != 2 || (number >= SIM_SLAVES && *word != 'l'))
		return true;
	if (!strcmp(word, "drop"))
		slaves[number].absent = true;
	if (!strcmp(word, "back")) {
		sim_power(&slaves[number]);
		slaves[number].absent = false;
	}
	if (!strcmp(word, "fall"))
		sim_fall(&slaves[number]);
	if (!strcmp(word, "lose"))
		lose = number;
	printf("%s", line);
	return true;
}

int main(int argc, char **argv)
{
	struct pollfd list[2] = { { 0, POLLIN, 0 }, { -1, POLLIN, 0 } };

	if (argc != 2)
		return 2;
	setvbuf(stdin, NULL, _IONBF, 0); /* so that poll() sees all unread input */
	setvbuf(stdout, NULL, _IOLBF, 0);
	sim_line(slaves);
	list[1].fd = device_open(argv[1]);
	puts("ready");
	for (;;) {
		if (poll(list, 2, -1) < 0)
			return 1;
		if (list[1].revents)
			frame_serve(list[1].fd);
		if (list[0].revents && !command_serve())
			return 0;
	}
}
