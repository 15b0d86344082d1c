// SPDX-License-Identifier: GPL-2.0
/*
 * A node of a CAN bus. Identifiers and flags are hexadecimal, as in <linux/can.h>.
 *
 *   peer INTERFACE ID DATA             sends a frame with DATA, text of up to 8 bytes
 *   peer INTERFACE ID DATA ANSWER TEXT COUNT SECONDS
 *                                      and waits for COUNT frames with identifier ANSWER. The last one has the data
 *                                      TEXT, and no other follows within 0.2 s. "": any data, and others may follow
 */
#include <linux/can.h>
#include <linux/can/raw.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MORE_MS 200

/* Opens a socket that receives only frames with this identifier. */
static int bus_open(const char *interface, canid_t id)
{
	const struct can_filter only = { id, CAN_EFF_MASK | CAN_EFF_FLAG | CAN_RTR_FLAG };
	struct sockaddr_can address = { .can_family = AF_CAN,
					.can_ifindex = (int)if_nametoindex(interface) };
	int fd = socket(PF_CAN, SOCK_RAW, CAN_RAW);

	if (fd < 0 || setsockopt(fd, SOL_CAN_RAW, CAN_RAW_FILTER, &only, sizeof(only)) ||
	    bind(fd, (const struct sockaddr *)&address, sizeof(address))) {
		perror(interface);
		exit(1);
	}
	return fd;
}

static int frame_wait(int fd, struct can_frame *frame, int ms)
{
	struct pollfd ready = { fd, POLLIN, 0 };

	return poll(&ready, 1, ms) == 1 && read(fd, frame, sizeof(*frame)) == sizeof(*frame);
}

int main(int argc, char **argv)
{
	struct can_frame frame = { 0 };
	int fd, count;
	canid_t id;

	if (argc != 4 && argc != 8)
		return 2;
	id = argc == 8 ? (canid_t)strtoul(argv[4], NULL, 16) : 0;
	fd = bus_open(argv[1], id);
	frame.can_id = (canid_t)strtoul(argv[2], NULL, 16);
	frame.can_dlc = (__u8)strlen(argv[3]);
	memcpy(frame.data, argv[3], frame.can_dlc);
	if (write(fd, &frame, sizeof(frame)) != sizeof(frame)) {
		perror("write");
		return 1;
	}
	if (argc == 4)
		return 0;
	for (count = 0; count < atoi(argv[6]); count++)
		if (!frame_wait(fd, &frame, atoi(argv[7]) * 1000))
			break;
	printf("%d frames %x, the last with '%.*s'\n", count, id, frame.can_dlc, frame.data);
	if (count < atoi(argv[6]) || !argv[5][0])
		return count < atoi(argv[6]);
	return frame.can_dlc != strlen(argv[5]) || memcmp(frame.data, argv[5], frame.can_dlc) ||
	       frame_wait(fd, &frame, MORE_MS);
}
