// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cli/command/tun/tun.h>
#include <limpet/node.h>

/* <linux/if_tun.h> is not on musl-gcc's path. */
#define TUNSETIFF 0x400454cau
#define TUNGETIFF 0x800454d2u
#define TUNSETCARRIER 0x400454e2u
#define IFF_TAP 2
#define IFF_PERSIST 0x800
#define BUSY_TRIES 20
#define IFF_NO_PI 0x1000

struct request {
	char name[16];
	short flags;
	char rest[22];
};

/* Writes a setting of the interface. Returns 0 or a negative errno; 0 also if Linux lacks this protocol. */
static int setting_write(const char *protocol, const char *interface, const char *name,
			 const char *value)
{
	const ssize_t length = (ssize_t)strlen(value);
	char path[PATH_MAX];
	int fd, error = 0;

	snprintf(path, sizeof(path), "/proc/sys/net/%s/conf/%s/%s", protocol, interface, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	if (write(fd, value, (size_t)length) != length)
		error = -errno;
	close(fd);
	return error;
}

/*
 * Makes the component a neighbour of Linux, but not a router, as the module does with a network device. An interface
 * that existed before keeps the settings of the administrator. Returns 0 or a negative errno.
 */
static int routing_refuse(int fd)
{
	static const struct {
		const char *protocol, *name, *value;
	} settings[] = {
		{ "ipv6", "accept_ra", "0" },
		{ "ipv6", "accept_redirects", "0" },
		{ "ipv6", "accept_source_route", "-1" },
		{ "ipv4", "accept_redirects", "0" },
		{ "ipv4", "accept_source_route", "0" },
	};
	struct request request;
	int error = ioctl(fd, TUNGETIFF, &request) ? -errno : 0;

	if (error || request.flags & IFF_PERSIST)
		return error;
	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings) && !error; i++)
		error = setting_write(settings[i].protocol, request.name, settings[i].name,
				      settings[i].value);
	return error;
}

int tap_open(const char *name)
{
	struct request request = { .flags = IFF_TAP | IFF_NO_PI };
	int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
	int error;

	if (fd < 0)
		return -errno;
	snprintf(request.name, sizeof(request.name), "%s", name);
	error = ioctl(fd, TUNSETIFF, &request) ? -errno : routing_refuse(fd);
	if (!error)
		return fd;
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
			usleep(1000); /* a process that lists open files refers to the device for a moment */
	} while (!error || error == -EINTR || (busy && busy < BUSY_TRIES));
	if (error != -EPIPE)
		return error;
	return carrier(*tap, false);
}
