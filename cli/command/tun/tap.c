// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cli/command/tun/tun.h>
#include <limpet/node.h>

/* <linux/if_tun.h> is not on musl-gcc's path. */
#define TUNSETIFF 0x400454cau
#define TUNSETCARRIER 0x400454e2u
#define IFF_TAP 2
#define BUSY_TRIES 20
#define IFF_NO_PI 0x1000

struct request {
	char name[16];
	short flags;
	char rest[22];
};

int tap_open(const char *name)
{
	struct request request = { .flags = IFF_TAP | IFF_NO_PI };
	int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
	int error;

	if (fd < 0)
		return -errno;
	snprintf(request.name, sizeof(request.name), "%s", name);
	if (!ioctl(fd, TUNSETIFF, &request))
		return fd;
	error = -errno;
	close(fd);
	return error;
}

static int carrier(int tap, bool up)
{
	unsigned int value = up;

	return ioctl(tap, TUNSETCARRIER, &value) ? -errno : 0;
}

int tap_carry(int *tap, int channel)
{
	struct limpet_node_tap carried = { .fd = *tap };
	int error, busy = 0;

	do {
		error = ioctl(channel, LIMPET_NODE_TAP, &carried) ? -errno : 0;
		*tap = carried.fd;
		if (!error)
			error = carrier(*tap, carried.link);
		busy = error == -EBUSY ? busy + 1 : 0;
		if (busy)
			usleep(1000); /* a process that lists open files has the device for a moment */
	} while (!error || error == -EINTR || (busy && busy < BUSY_TRIES));
	if (error != -EPIPE)
		return error;
	return carrier(*tap, false);
}
