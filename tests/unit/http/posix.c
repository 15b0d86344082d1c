// SPDX-License-Identifier: BSD-2-Clause
/* Implements lib/socket with the sockets of the build machine, for IPv4. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <runtime/time.h>
#include <socket/socket.h>

static long error_of(int error)
{
	switch (error) {
	case EADDRINUSE:
		return LIMPET_EBUSY;
	case EBADF:
		return LIMPET_ENOENT;
	case EAGAIN:
	case EINTR:
		return LIMPET_EAGAIN;
	case ENOTCONN:
		return LIMPET_ESTATE;
	default:
		return LIMPET_EPEER;
	}
}

static long status_of(long result)
{
	return result < 0 ? error_of(errno) : result;
}

static void address_to(const struct sockaddr_in *from, struct net_address *to)
{
	to->high = 0;
	to->low = NET_IPV4_PREFIX | ntohl(from->sin_addr.s_addr);
	to->port = ntohs(from->sin_port);
}

/* Waits for events. Returns 0, or ETIME at the deadline. */
static long wait_for(long socket, short events, uint64_t deadline)
{
	struct pollfd what = { .fd = (int)socket, .events = events };
	uint64_t now = limpet_time();
	int ms = deadline == LIMPET_NEVER ? -1
		 : deadline <= now	  ? 0
					  : (int)((deadline - now + 999999) / 1000000);
	int ready = poll(&what, 1, ms);

	return ready < 0 ? error_of(errno) : ready ? 0 : LIMPET_ETIME;
}

long net_begin(void)
{
	signal(SIGPIPE, SIG_IGN);
	return LIMPET_OK;
}

long net_create(unsigned int type)
{
	return status_of(socket(AF_INET, type == NET_STREAM ? SOCK_STREAM : SOCK_DGRAM, 0));
}

long net_close(long socket)
{
	return status_of(close((int)socket));
}

long net_bind(long socket, struct net_address address)
{
	struct sockaddr_in any = { .sin_family = AF_INET, .sin_port = htons(address.port) };
	int one = 1;

	any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	setsockopt((int)socket, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	return status_of(bind((int)socket, (struct sockaddr *)&any, sizeof(any)));
}

long net_listen(long socket, unsigned int backlog)
{
	return status_of(listen((int)socket, (int)backlog));
}

long net_accept(long socket, struct net_address *from, uint64_t deadline)
{
	struct sockaddr_in peer;
	socklen_t size = sizeof(peer);
	long status = wait_for(socket, POLLIN, deadline);

	if (!status)
		status = status_of(accept((int)socket, (struct sockaddr *)&peer, &size));
	if (status >= 0 && from)
		address_to(&peer, from);
	return status;
}

long net_send(long socket, const void *data, size_t length, uint64_t deadline)
{
	size_t sent = 0;

	while (sent < length) {
		long status = wait_for(socket, POLLOUT, deadline);

		if (!status)
			status = status_of(send((int)socket, (const char *)data + sent,
						length - sent, MSG_DONTWAIT));
		if (status == LIMPET_EAGAIN)
			continue;
		if (status < 0)
			return sent ? (long)sent : status;
		sent += (size_t)status;
	}
	return (long)sent;
}

long net_receive(long socket, void *buffer, size_t size, struct net_address *from,
		 uint64_t deadline)
{
	struct sockaddr_in peer = { 0 };
	socklen_t length = sizeof(peer);
	long status = wait_for(socket, POLLIN, deadline);

	if (!status)
		status = status_of(
			recvfrom((int)socket, buffer, size, 0, (struct sockaddr *)&peer, &length));
	if (status >= 0 && from)
		address_to(&peer, from);
	return status;
}

long net_shutdown(long socket)
{
	return status_of(shutdown((int)socket, SHUT_WR));
}

long net_option(long socket, unsigned int option, unsigned int value)
{
	int number = (int)value;

	if (option != NET_NODELAY)
		return LIMPET_ERANGE;
	return status_of(
		setsockopt((int)socket, IPPROTO_TCP, TCP_NODELAY, &number, sizeof(number)));
}

void *net_memory_get(void)
{
	return malloc(NET_MEMORY_PART);
}

void net_memory_put(void *part)
{
	free(part);
}

size_t net_address_text(const struct net_address *address, char *text)
{
	uint32_t ip = (uint32_t)address->low;

	return (size_t)snprintf(text, NET_ADDRESS_TEXT, "%u.%u.%u.%u", ip >> 24, ip >> 16 & 255,
				ip >> 8 & 255, ip & 255);
}
