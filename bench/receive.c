// SPDX-License-Identifier: GPL-2.0
/*
 * Measures the time from the interrupt of a UDP datagram until a process has received it, on one
 * CPU. A real-time thread of medium priority writes the time continuously. The receiver compares
 * its own time with the last one that the thread wrote before the interrupt. Then it returns the
 * datagram, so that the next one is sent.
 *
 *   receive udp COUNT PORT      from a socket
 *   receive tun COUNT PORT NAME from a TUN device, which exists, is up, and is routed to
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "figure.h"
#include "thread.h"

#define WARM_UP 50
#define MEDIUM 50
#define HIGH 80

/* <linux/if_tun.h> is not on musl-gcc's path. */
#define TUNSETIFF 0x400454cau
#define IFF_TUN 1
#define IFF_NO_PI 0x1000

#define IP_HEADER 20u
#define IP_PROTOCOL 9
#define IP_FROM 12
#define IP_TO 16
#define UDP_FROM 20
#define UDP_TO 22
#define UDP_CHECKSUM 26

/* The source of the datagrams, and the way back to it. */
struct port {
	int fd;
	int is_tun;
	uint16_t number;
	struct sockaddr_in from; /* sender of the first datagram, of a socket */
};

static volatile uint64_t now; /* time of the thread that spins */

static void *spin(void *unused)
{
	(void)unused;
	for (;;)
		now = figure_time();
	return NULL;
}

static int socket_open(uint16_t port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port) };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)))
		figure_die("socket");
	return fd;
}

static int tun_open(const char *name)
{
	struct {
		char name[16];
		short flags;
		char rest[22];
	} request = { .flags = IFF_TUN | IFF_NO_PI };
	int fd = open("/dev/net/tun", O_RDWR);

	strncpy(request.name, name, sizeof(request.name) - 1);
	if (fd < 0 || ioctl(fd, TUNSETIFF, &request))
		figure_die("/dev/net/tun");
	return fd;
}

/*
 * Returns whether the data are an expected datagram. A TUN device also receives Linux's own
 * packets.
 */
static int is_wanted(const struct port *port, const unsigned char *packet, ssize_t length)
{
	return !port->is_tun || (length > (ssize_t)IP_HEADER + 8 && packet[0] == 0x45 &&
				 packet[IP_PROTOCOL] == IPPROTO_UDP &&
				 (packet[UDP_TO] << 8 | packet[UDP_TO + 1]) == port->number);
}

/* The first datagram has the address of the sender. */
static ssize_t receive(struct port *port, void *packet, size_t size)
{
	socklen_t length = sizeof(port->from);
	ssize_t got;

	if (port->is_tun || port->from.sin_port)
		got = read(port->fd, packet, size);
	else
		got = recvfrom(port->fd, packet, size, 0, (struct sockaddr *)&port->from, &length);
	if (got < 0)
		figure_die("receive");
	return got;
}

static void swap(unsigned char *a, unsigned char *b, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		unsigned char byte = a[i];

		a[i] = b[i];
		b[i] = byte;
	}
}

/* The header's checksum stays correct. The datagram has no checksum. */
static void turn(unsigned char *packet)
{
	swap(packet + IP_FROM, packet + IP_TO, 4);
	swap(packet + UDP_FROM, packet + UDP_TO, 2);
	memset(packet + UDP_CHECKSUM, 0, 2);
}

static void send_back(struct port *port, unsigned char *packet, size_t length)
{
	ssize_t sent;

	if (port->is_tun) {
		turn(packet);
		sent = write(port->fd, packet, length);
	} else {
		sent = sendto(port->fd, packet, length, 0, (struct sockaddr *)&port->from,
			      sizeof(port->from));
	}
	if (sent != (ssize_t)length)
		figure_die("send back");
}

static void serve(struct port *port, uint64_t *samples, unsigned long count)
{
	unsigned char packet[2048];

	for (unsigned long i = 0; i < count + WARM_UP;) {
		ssize_t length = receive(port, packet, sizeof(packet));
		uint64_t time = figure_time();

		if (!is_wanted(port, packet, length))
			continue;
		samples[i < WARM_UP ? 0 : i - WARM_UP] = time - now;
		i++;
		send_back(port, packet, (size_t)length);
	}
}

int main(int argc, char **argv)
{
	int tun = argc == 5 && !strcmp(argv[1], "tun");
	struct sched_param parameters = { .sched_priority = HIGH };
	struct figure figure = { "table3", "udp", tun ? "linux-tun" : "linux-udp" };
	unsigned long count;
	uint64_t *samples;
	struct port port = { .is_tun = tun };

	if (!tun && (argc != 4 || strcmp(argv[1], "udp"))) {
		fprintf(stderr, "usage: receive udp COUNT PORT, or receive tun COUNT PORT NAME\n");
		return 2;
	}
	count = figure_number(argv[2]);
	port.number = (uint16_t)figure_number(argv[3]);
	samples = figure_samples(count);
	figure_pin(0);
	port.fd = tun ? tun_open(argv[4]) : socket_open(port.number);
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		figure_die("mlockall");
	errno = pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters);
	if (errno)
		figure_die("pthread_setschedparam");
	thread_start_fifo(spin, MEDIUM);
	serve(&port, samples, count);
	figure_print(&figure, samples, count);
	return 0;
}
