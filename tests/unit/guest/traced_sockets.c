// SPDX-License-Identifier: GPL-2.0
/* Makes calls about sockets and their addresses. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "traced.h"

static char buffer[100];

static void trace_stream(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr = { htonl(INADDR_LOOPBACK) } };
	long server = CALL(socket, AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), client;
	socklen_t length = sizeof(address);
	int one = 1;

	CALL(bind, server, &address, sizeof(address));
	CALL(listen, server, 5);
	CALL(getsockname, server, &address, &length);
	client = CALL(socket, AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP);
	CALL(connect, client, &address, sizeof(address));
	CALL(getpeername, client, &address, &length);
	length = 100;
	CALL(accept4, server, &address, &length, SOCK_CLOEXEC);
	CALL(accept, server, &address, &length);
	CALL(accept, server, NULL, NULL);
	CALL(accept4, server, NULL, NULL, 0);
	CALL(setsockopt, server, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	CALL(setsockopt, client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	length = sizeof(one);
	CALL(getsockopt, server, SOL_SOCKET, SO_ERROR, &one, &length);
	CALL(getsockopt, client, SOL_TCP, TCP_NODELAY, &one, &length);
	CALL(sendto, client, "hi", 2, MSG_NOSIGNAL, NULL, 0);
	CALL(recvfrom, client, buffer, 10, MSG_DONTWAIT, NULL, NULL);
	CALL(shutdown, client, SHUT_RDWR);
	CALL(shutdown, 1000, SHUT_RD);
}

static void trace_unix(void)
{
	struct sockaddr_un address = { AF_UNIX, "/nonexistent/socket" };
	long fd = CALL(socket, AF_UNIX, SOCK_DGRAM, 0);

	CALL(connect, fd, &address, sizeof(address));
	CALL(connect, fd, &address, 12);
	CALL(connect, fd, &address, 2);
	CALL(connect, fd, &address, 1);
	CALL(connect, fd, &address, 0);
	CALL(connect, fd, &address, -1);
	address.sun_path[0] = 0;
	CALL(connect, fd, &address, 8);
	CALL(connect, fd, 8, 8);
}

static void trace_inet6(void)
{
	static const char *const texts[] = {
		"::1",	     "::",  "fe80::1:2",      "2001:db8:0:0:1::1", "::ffff:1.2.3.4",
		"::1.2.3.4", "1::", "1:2:3:4:5:6:7:8"
	};
	struct sockaddr_in6 address = { .sin6_family = AF_INET6,
					.sin6_port = htons(80),
					.sin6_flowinfo = htonl(7),
					.sin6_scope_id = 9 };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		inet_pton(AF_INET6, texts[i], &address.sin6_addr);
		CALL(connect, 1000, &address, sizeof(address));
	}
}

static void trace_others(void)
{
	struct sockaddr_nl link = { .nl_family = AF_NETLINK, .nl_pid = 5, .nl_groups = 0x11 };
	struct sockaddr other = { AF_APPLETALK, "12345\0" };

	CALL(socket, AF_NETLINK, SOCK_RAW, 0);
	CALL(socket, AF_INET6, SOCK_DGRAM, IPPROTO_UDP);
	CALL(socket, 1000, SOCK_RDM, 0);
	CALL(bind, 1000, &link, sizeof(link));
	CALL(bind, 1000, &other, sizeof(other));
}

static void trace_messages(void)
{
	struct iovec out[] = { { "abc", 3 }, { "defgh", 5 } }, in = { buffer, 5 };
	struct msghdr sent = { .msg_iov = out, .msg_iovlen = 2 },
		      got = { .msg_iov = &in, .msg_iovlen = 1 };
	int fds[2];

	CALL(socketpair, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds);
	CALL(sendmsg, fds[0], &sent, MSG_DONTWAIT);
	CALL(recvmsg, fds[1], &got, 0);
	CALL(recvfrom, fds[1], buffer, 10, MSG_DONTWAIT | MSG_PEEK, NULL, NULL);
	CALL(recvfrom, fds[1], buffer, 10, 0, NULL, NULL);
	CALL(recvmsg, fds[1], &got, MSG_DONTWAIT);
	CALL(sendmsg, 1000, 8, 0);
}

void trace_sockets(void)
{
	trace_stream();
	trace_unix();
	trace_inet6();
	trace_others();
	trace_messages();
}
