// SPDX-License-Identifier: GPL-2.0
/*
 * crowd COUNT [CHANNEL]: an unprivileged process receives broadcasts with COUNT sockets. With CHANNEL it has a network
 * namespace of its own, in which they come from a TAP device that it connects to the channel. Prints "ready", and then
 * the number of datagrams that one socket has received, until it is killed.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "../../lib/device.h"

#define USER 1000
#define PORT 9999

/* <linux/if_tun.h> is not on musl-gcc's path. */
#define TUNSETIFF 0x400454cau
#define IFF_TAP 0x0002
#define IFF_NO_PI 0x1000

static int socket_open(void)
{
	const struct sockaddr_in any = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	const int on = 1;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    bind(fd, (const struct sockaddr *)&any, sizeof(any)))
		die("socket: %s", strerror(errno));
	return fd;
}

static int tap_open(void)
{
	struct ifreq request = { .ifr_name = "crowd", .ifr_flags = IFF_TAP | IFF_NO_PI };
	int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC), any = socket(AF_INET, SOCK_DGRAM, 0);

	if (fd < 0 || ioctl(fd, TUNSETIFF, &request))
		die("/dev/net/tun: %s", strerror(errno));
	request.ifr_flags = IFF_UP;
	if (any < 0 || ioctl(any, SIOCSIFFLAGS, &request))
		die("interface: %s", strerror(errno));
	close(any);
	return fd;
}

/* Carries frames until the parent dies. */
static void carry(const char *name)
{
	struct limpet_node_tap argument = { .link = 0 };
	int channel = node_open(name, O_RDWR);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	argument.fd = tap_open();
	while (!ioctl(channel, LIMPET_NODE_TAP, &argument))
		;
	die("carrying: %s", strerror(errno));
}

int main(int argc, char **argv)
{
	const struct rlimit many = { 70000, 70000 };
	unsigned long received = 0;
	char byte;
	int fd;

	if (argc < 2 || setrlimit(RLIMIT_NOFILE, &many))
		die("usage, or setrlimit: %s", strerror(errno));
	if (setgid(USER) || setuid(USER))
		die("setuid: %s", strerror(errno));
	if (argc > 2 && unshare(CLONE_NEWUSER | CLONE_NEWNET))
		die("unshare: %s", strerror(errno));
	fd = socket_open();
	for (long i = strtol(argv[1], NULL, 10); i > 1; i--)
		socket_open();
	if (argc > 2 && !fork())
		carry(argv[2]);
	printf("ready\n");
	for (;;) {
		while (recv(fd, &byte, sizeof(byte), 0) >= 0)
			received++;
		printf("%lu datagrams\n", received);
		fflush(stdout);
		pause_us(100000);
	}
}
