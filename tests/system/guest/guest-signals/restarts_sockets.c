// SPDX-License-Identifier: GPL-2.0
/*
 * Tests interrupted calls of sockets. signal(7): with SA_RESTART Linux restarts them unless the socket has a time limit
 * (SO_RCVTIMEO, SO_SNDTIMEO). With a limit also a stop ends them. Argument: the probe's mode, or `plain` for a process
 * that is not a guest.
 */
#include "interrupted.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

static const struct timeval limit = { LONG_S, 0 };
static const struct sockaddr_un name = { AF_UNIX, "\0restarts" }; /* not a file */

static int ends[2];
static char byte[2];
static struct iovec vector = { byte, 1 };

static void ends_close(void)
{
	close(ends[0]);
	close(ends[1]);
}

static void receiver_make(void)
{
	EQUAL(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
}

static void receiver_make_limited(void)
{
	receiver_make();
	EQUAL(setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)), 0);
}

static void sender_make(void)
{
	EQUAL(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	file_fill(ends[0]);
}

static void sender_make_limited(void)
{
	sender_make();
	EQUAL(setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)), 0);
}

static void other_send(void)
{
	EQUAL(send(ends[1], "x", 1, 0), 1);
}

static void other_receive(void)
{
	file_drain(ends[1]);
}

static struct msghdr message(void)
{
	return (struct msghdr){ .msg_iov = &vector, .msg_iovlen = 1 };
}

static long call_read(void)
{
	child_ready();
	return raw(SYS_read, ends[0], (long)byte, 1);
}

static long call_recvfrom(void)
{
	child_ready();
	return raw6(SYS_recvfrom, ends[0], (long)byte, 1, 0, 0, 0);
}

static long call_recvmsg(void)
{
	struct msghdr header = message();

	child_ready();
	return raw(SYS_recvmsg, ends[0], (long)&header, 0);
}

static long call_recvmmsg(void)
{
	struct mmsghdr header = { message(), 0 };

	child_ready();
	return raw6(SYS_recvmmsg, ends[0], (long)&header, 1, 0, 0, 0);
}

/* signal(7) names this call among those that are not restarted, but Linux uses its limit only between messages. */
static long call_recvmmsg_limit(void)
{
	struct mmsghdr header = { message(), 0 };
	struct timespec time = { LONG_S, 0 };

	child_ready();
	return raw6(SYS_recvmmsg, ends[0], (long)&header, 1, 0, (long)&time, 0);
}

static long call_write(void)
{
	child_ready();
	return raw(SYS_write, ends[0], (long)byte, 1);
}

static long call_sendto(void)
{
	child_ready();
	return raw6(SYS_sendto, ends[0], (long)byte, 1, 0, 0, 0);
}

static long call_sendmsg(void)
{
	struct msghdr header = message();

	child_ready();
	return raw(SYS_sendmsg, ends[0], (long)&header, 0);
}

static long call_sendmmsg(void)
{
	struct mmsghdr header = { message(), 0 };

	child_ready();
	return raw6(SYS_sendmmsg, ends[0], (long)&header, 1, 0, 0, 0);
}

/* --- connections. ends[0] listens, ends[1] connects */

static int connect_now(void)
{
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (!connect(fd, (const struct sockaddr *)&name, sizeof(name)))
		return fd;
	close(fd);
	return -1;
}

static void listener_make(void)
{
	ends[0] = socket(AF_UNIX, SOCK_STREAM, 0);
	EQUAL(bind(ends[0], (const struct sockaddr *)&name, sizeof(name)), 0);
	EQUAL(listen(ends[0], 0), 0);
	ends[1] = -1;
}

static void listener_make_limited(void)
{
	listener_make();
	EQUAL(setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)), 0);
}

static void other_connect(void)
{
	if (ends[1] < 0)
		ends[1] = connect_now();
	EXPECT(ends[1] >= 0);
}

static long accepted(long fd)
{
	return fd >= 0 ? 1 : fd;
}

static long call_accept(void)
{
	child_ready();
	return accepted(raw(SYS_accept, ends[0], 0, 0));
}

static long call_accept4(void)
{
	child_ready();
	return accepted(raw6(SYS_accept4, ends[0], 0, 0, SOCK_CLOEXEC, 0, 0));
}

/* Fills the queue of the socket that listens. */
static void connecter_make(void)
{
	listener_make();
	while (connect_now() >= 0)
		;
	ends[1] = socket(AF_UNIX, SOCK_STREAM, 0);
}

static void connecter_make_limited(void)
{
	connecter_make();
	EQUAL(setsockopt(ends[1], SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)), 0);
}

static long call_connect(void)
{
	child_ready();
	return raw(SYS_connect, ends[1], (long)&name, sizeof(name));
}

static void other_accept(void)
{
	int fd;

	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	while ((fd = accept(ends[0], NULL, NULL)) >= 0)
		close(fd);
}

#define RECEIVES(name, call)                                                                       \
	{ name, receiver_make, call, other_send, 1, true, false, ends_close },                     \
	{                                                                                          \
		name " with SO_RCVTIMEO", receiver_make_limited, call, other_send, 1, false, true, \
			ends_close                                                                 \
	}
#define SENDS(name, call)                                                                          \
	{ name, sender_make, call, other_receive, 1, true, false, ends_close },                    \
	{                                                                                          \
		name " with SO_SNDTIMEO", sender_make_limited, call, other_receive, 1, false,      \
			true, ends_close                                                           \
	}
#define ACCEPTS(name, call)                                                                        \
	{ name, listener_make, call, other_connect, 1, true, false, ends_close },                  \
	{                                                                                          \
		name " with SO_RCVTIMEO", listener_make_limited, call, other_connect, 1, false,    \
			true, ends_close                                                           \
	}

static const struct interrupted tests[] = {
	RECEIVES("read of a socket", call_read),
	RECEIVES("recvfrom", call_recvfrom),
	RECEIVES("recvmsg", call_recvmsg),
	RECEIVES("recvmmsg", call_recvmmsg),
	RECEIVES("recvmmsg with a limit", call_recvmmsg_limit),
	SENDS("write to a socket", call_write),
	SENDS("sendto", call_sendto),
	SENDS("sendmsg", call_sendmsg),
	SENDS("sendmmsg", call_sendmmsg),
	ACCEPTS("accept", call_accept),
	ACCEPTS("accept4", call_accept4),
	{ "connect", connecter_make, call_connect, other_accept, 0, true, false, ends_close },
	{ "connect with SO_SNDTIMEO", connecter_make_limited, call_connect, other_accept, 0, false,
	  true, ends_close },
};

int main(int argc, char **argv)
{
	interrupted_init(argc, argv);
	interrupted_all(tests, sizeof(tests) / sizeof(*tests));
	return interrupted_finish();
}
