// SPDX-License-Identifier: BSD-2-Clause
/*
 * Prints the results of calls for sockets, on addresses of the host itself. Each line begins with the call. The output
 * must be the same on Linux and on Limpet, so ports and descriptors are not printed.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define SOON_MS 20000 /* only a failing check waits for so long */
#define MUCH 200000

static char much[MUCH], copy[MUCH];

/* Prints a result, or the error. */
static long show(const char *what, long result)
{
	if (result < 0)
		printf("%s: %s\n", what, strerror(errno));
	else
		printf("%s: %ld\n", what, result);
	return result;
}

static void show_events(const char *what, short events)
{
	printf("%s:%s%s%s%s%s%s\n", what, events & POLLIN ? " in" : "",
	       events & POLLOUT ? " out" : "", events & POLLERR ? " error" : "",
	       events & POLLHUP ? " hangup" : "", events & POLLRDHUP ? " peer-ended" : "",
	       events & POLLNVAL ? " invalid" : "");
}

/* Waits for `events` of a socket, if any, and prints all current events. */
static void show_poll(const char *what, int socket, short events)
{
	struct pollfd polled = { socket, events, 0 };

	poll(&polled, 1, events ? SOON_MS : 0);
	polled.events = POLLIN | POLLOUT | POLLRDHUP;
	poll(&polled, 1, 0);
	show_events(what, polled.revents);
}

static struct sockaddr_in local(uint16_t port)
{
	return (struct sockaddr_in){ .sin_family = AF_INET,
				     .sin_port = port,
				     .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

static struct sockaddr_in name_of(int socket, bool of_peer)
{
	struct sockaddr_in name = { 0 };
	socklen_t size = sizeof(name);

	if (of_peer)
		getpeername(socket, (struct sockaddr *)&name, &size);
	else
		getsockname(socket, (struct sockaddr *)&name, &size);
	return name;
}

static bool is_same(struct sockaddr_in a, struct sockaddr_in b)
{
	return a.sin_family == b.sin_family && a.sin_port == b.sin_port && a.sin_port &&
	       a.sin_addr.s_addr == b.sin_addr.s_addr;
}

static int bound(int type)
{
	const struct sockaddr_in any = local(0);
	int socket_ = socket(AF_INET, type, 0);

	if (socket_ < 0 || bind(socket_, (const struct sockaddr *)&any, sizeof(any)))
		printf("bind: %s\n", strerror(errno));
	return socket_;
}

static int connect_to(int socket, struct sockaddr_in to)
{
	return connect(socket, (const struct sockaddr *)&to, sizeof(to));
}

struct pair {
	int client, server;
};

static struct pair pair_make(int listener)
{
	struct pair pair = { socket(AF_INET, SOCK_STREAM, 0), -1 };

	if (connect_to(pair.client, name_of(listener, false)))
		printf("connect: %s\n", strerror(errno));
	pair.server = accept(listener, NULL, NULL);
	return pair;
}

static void pair_close(struct pair pair)
{
	close(pair.client);
	close(pair.server);
}

static void options(void)
{
	const int socket = bound(SOCK_STREAM);
	struct timeval limit = { 1, 500000 };
	int value = 1, other;
	socklen_t size = sizeof(value);

	show("SO_REUSEADDR", setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &value, sizeof(value)));
	show("SO_KEEPALIVE", setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &value, sizeof(value)));
	show("TCP_NODELAY", setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &value, sizeof(value)));
	value = 0;
	getsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &value, &size);
	show("TCP_NODELAY is", value);
	value = 7;
	show("IP_TTL", setsockopt(socket, IPPROTO_IP, IP_TTL, &value, sizeof(value)));
	getsockopt(socket, IPPROTO_IP, IP_TTL, &other, &size);
	show("IP_TTL is", other);
	getsockopt(socket, SOL_SOCKET, SO_TYPE, &value, &size);
	show("SO_TYPE is a stream", value == SOCK_STREAM);
	getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &value, &size);
	show("SO_DOMAIN is IPv4", value == AF_INET);
	show("SO_RCVTIMEO", setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)));
	limit = (struct timeval){ 0 };
	size = sizeof(limit);
	getsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, &size);
	printf("SO_RCVTIMEO is %ld.%06ld\n", (long)limit.tv_sec, (long)limit.tv_usec);
	close(socket);
}

static void errors(void)
{
	struct sockaddr_in to;
	socklen_t size = sizeof(to);
	int stream = socket(AF_INET, SOCK_STREAM, 0), datagrams = bound(SOCK_DGRAM), second;
	int ends[2];

	show("listen on a datagram socket", listen(datagrams, 1));
	show("accept without listen", accept(stream, NULL, NULL));
	show("getpeername without connection", getpeername(stream, (struct sockaddr *)&to, &size));
	show("recv without connection", recv(stream, copy, 1, 0));
	show("send without connection", send(stream, "x", 1, MSG_NOSIGNAL));
	show("shutdown without connection", shutdown(stream, SHUT_WR));
	show("send without destination", send(datagrams, "x", 1, 0));
	to = name_of(datagrams, false);
	show("bind twice", bind(datagrams, (struct sockaddr *)&to, sizeof(to)));
	second = socket(AF_INET, SOCK_DGRAM, 0);
	show("bind a used port", bind(second, (struct sockaddr *)&to, sizeof(to)));
	show("bind a short address", bind(second, (struct sockaddr *)&to, 4));
	to.sin_family = AF_INET6;
	show("connect to another family", connect(stream, (struct sockaddr *)&to, sizeof(to)));
	pipe(ends);
	show("listen on a pipe", listen(ends[0], 1));
	show("recv from a pipe", recv(ends[0], copy, 1, 0));
	show("listen on no descriptor", listen(60, 1));
	show("socket of a bad protocol", socket(AF_INET, SOCK_STREAM, IPPROTO_UDP));
	show_poll("a new stream has", stream, 0);
	close(ends[0]);
	close(ends[1]);
	close(stream);
	close(datagrams);
	close(second);
}

static void *echo(void *of)
{
	const int socket = accept(*(int *)of, NULL, NULL);
	ssize_t n;

	while ((n = read(socket, copy, 5000)) > 0)
		for (ssize_t done = 0, part; done < n; done += part)
			if ((part = write(socket, copy + done, (size_t)(n - done))) < 0)
				return NULL;
	show("the server's last read", n);
	close(socket);
	return NULL;
}

static void *sender(void *of)
{
	for (size_t done = 0; done < MUCH;) {
		ssize_t n = send(*(int *)of, much + done, MUCH - done, 0);

		if (n < 0)
			return NULL;
		done += (size_t)n;
	}
	shutdown(*(int *)of, SHUT_WR);
	return NULL;
}

/* Runs a server with a thread, and a client with a thread that sends while the other receives. */
static void streams(int listener)
{
	int client = socket(AF_INET, SOCK_STREAM, 0);
	static char back[MUCH + 1];
	pthread_t server, sends;
	size_t got = 0;
	ssize_t n;

	for (size_t i = 0; i < MUCH; i++)
		much[i] = (char)(i * 7 + i / 251);
	pthread_create(&server, NULL, echo, &listener);
	show("connect", connect_to(client, name_of(listener, false)));
	pthread_create(&sends, NULL, sender, &client);
	while ((n = recv(client, back + got, sizeof(back) - got, 0)) > 0)
		got += (size_t)n;
	show("received", (long)got);
	show("the data are right", !memcmp(much, back, MUCH));
	show("recv at the end", recv(client, back, 1, 0));
	pthread_join(sends, NULL);
	pthread_join(server, NULL);
	show_poll("after both ends", client, POLLIN);
	show("send after shutdown", send(client, "x", 1, MSG_NOSIGNAL));
	show("connect again", connect_to(client, name_of(listener, false)));
	close(client);
}

static void names(int listener)
{
	struct pair pair = pair_make(listener);
	struct stat status;

	show("the client's peer is the listener",
	     is_same(name_of(pair.client, true), name_of(listener, false)));
	show("the server's peer is the client",
	     is_same(name_of(pair.server, true), name_of(pair.client, false)));
	show("the server's name is the listener's",
	     is_same(name_of(pair.server, false), name_of(listener, false)));
	fstat(pair.client, &status);
	show("it is a socket", S_ISSOCK(status.st_mode));
	show("lseek", lseek(pair.client, 0, SEEK_SET));
	pair_close(pair);
}

static void messages(int listener)
{
	struct pair pair = pair_make(listener);
	char a[3], b[8];
	struct iovec out[2] = { { "abc", 3 }, { "defgh", 5 } }, in[2] = { { a, 3 }, { b, 8 } };
	struct msghdr sent = { .msg_iov = out, .msg_iovlen = 2 },
		      got = { .msg_iov = in, .msg_iovlen = 2 };

	show("sendmsg", sendmsg(pair.client, &sent, 0));
	show_poll("the server has", pair.server, POLLIN);
	show("recvmsg", recvmsg(pair.server, &got, 0));
	printf("recvmsg: %.3s %.5s\n", a, b);
	show("writev", writev(pair.server, out, 2));
	show("recv with MSG_WAITALL", recv(pair.client, b, 8, MSG_WAITALL));
	printf("recv: %.8s\n", b);
	show("write for the first part", write(pair.client, "xyz", 3));
	show("readv waits for the first part only", readv(pair.server, in, 2));
	printf("readv: %.3s\n", a);
	pair_close(pair);
}

static void refused(void)
{
	int closed = bound(SOCK_STREAM), client = socket(AF_INET, SOCK_STREAM, 0), error = 0;
	struct sockaddr_in to = name_of(closed, false);
	socklen_t size = sizeof(error);

	close(closed);
	show("connect to a closed port", connect_to(client, to));
	close(client);
	client = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	show("connect without waiting", connect_to(client, to));
	show_poll("a refused connection has", client, POLLOUT);
	getsockopt(client, SOL_SOCKET, SO_ERROR, &error, &size);
	printf("SO_ERROR: %s\n", strerror(error));
	getsockopt(client, SOL_SOCKET, SO_ERROR, &error, &size);
	show("SO_ERROR again", error);
	show("recv", recv(client, copy, 1, 0));
	close(client);
}

/* Fills the connection, and empties it. */
static void full(int listener)
{
	struct pair pair = pair_make(listener);
	size_t sent = 0, got = 0;
	ssize_t n;

	fcntl(pair.client, F_SETFL, O_NONBLOCK);
	show("recv without data", recv(pair.client, copy, 1, 0));
	show("recv with MSG_DONTWAIT", recv(pair.server, copy, 1, MSG_DONTWAIT));
	while ((n = send(pair.client, much, 5000, 0)) > 0)
		sent += (size_t)n;
	show("send to a full connection", n);
	show_poll("a full connection has", pair.client, 0);
	fcntl(pair.server, F_SETFL, O_NONBLOCK);
	while (got < sent) {
		struct pollfd polled = { pair.server, POLLIN, 0 };

		poll(&polled, 1, SOON_MS);
		n = recv(pair.server, copy, MUCH, 0);
		if (n <= 0)
			break;
		got += (size_t)n;
	}
	show("all has arrived", got == sent);
	show_poll("an emptied connection has", pair.client, POLLOUT);
	pair_close(pair);
}

/* Tests that a connection is reset if it is closed with unread data. */
static void reset(int listener)
{
	struct pair pair = pair_make(listener);

	send(pair.client, "data", 4, 0);
	show_poll("the server has", pair.server, POLLIN);
	close(pair.server);
	show_poll("a reset connection has", pair.client, POLLIN);
	show("recv", recv(pair.client, copy, 1, 0));
	show("recv again", recv(pair.client, copy, 1, 0));
	show("send", send(pair.client, "x", 1, MSG_NOSIGNAL));
	close(pair.client);
}

static void datagrams(void)
{
	int a = bound(SOCK_DGRAM), b = bound(SOCK_DGRAM);
	struct sockaddr_in to = name_of(b, false), from = { 0 };
	struct timeval limit = { 0, 20000 };
	struct iovec parts[2] = { { copy, 2 }, { copy + 2, 2 } };
	socklen_t size = sizeof(from);

	show("recv with MSG_DONTWAIT", recv(b, copy, 1, MSG_DONTWAIT));
	show("sendto", sendto(a, "one", 3, 0, (struct sockaddr *)&to, sizeof(to)));
	show("sendto, nothing", sendto(a, "", 0, 0, (struct sockaddr *)&to, sizeof(to)));
	show("sendto", sendto(a, "longer", 6, 0, (struct sockaddr *)&to, sizeof(to)));
	show("sendto", sendto(a, "longer", 6, 0, (struct sockaddr *)&to, sizeof(to)));
	show_poll("datagrams are", b, POLLIN);
	show("recvfrom", recvfrom(b, copy, 10, 0, (struct sockaddr *)&from, &size));
	show("it is from the sender", is_same(from, name_of(a, false)) && size == sizeof(from));
	show("recv of nothing", recv(b, copy, 10, 0));
	show("recv of a part", recv(b, copy, 4, 0));
	show("recv of a part with MSG_TRUNC", recv(b, copy, 4, MSG_TRUNC));
	show_poll("no datagrams are", b, 0);
	show("connect", connect_to(a, to));
	show("send", send(a, "four", 4, 0));
	show("read", read(b, copy, 10));
	show("writev", writev(a, parts, 2));
	show("writev of nothing", writev(a, parts, 0));
	show("writev", writev(a, parts, 1));
	show("readv", readv(b, parts, 2));
	show("readv", readv(b, parts, 2));
	show_poll("no datagrams are", b, 0);
	setsockopt(b, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	show("recv until a time", recv(b, copy, 10, 0));
	close(a);
	close(b);
}

static void several(int listener)
{
	struct pair pair = pair_make(listener);
	int udp = bound(SOCK_DGRAM), client = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in to = name_of(udp, false);
	struct pollfd polled[3] = { { listener, POLLIN, 0 },
				    { pair.server, POLLIN, 0 },
				    { udp, POLLIN, 0 } };
	struct timeval now = { 0, 0 };
	fd_set set;

	show("poll of idle sockets", poll(polled, 3, 10));
	sendto(udp, "x", 1, 0, (struct sockaddr *)&to, sizeof(to));
	show("poll of a datagram", poll(polled, 3, SOON_MS));
	show_events("listener", polled[0].revents);
	show_events("datagrams", polled[2].revents);
	recv(udp, copy, 1, 0);
	connect_to(client, name_of(listener, false));
	show("poll of a connection", poll(polled, 3, SOON_MS));
	show_events("listener", polled[0].revents);
	close(accept(listener, NULL, NULL));
	write(pair.client, "x", 1);
	show("poll of data", poll(polled, 3, SOON_MS));
	show_events("connection", polled[1].revents);
	FD_ZERO(&set);
	FD_SET(pair.server, &set);
	FD_SET(listener, &set);
	show("select", select(pair.server + 1, &set, NULL, NULL, &now));
	show("select of the connection", FD_ISSET(pair.server, &set) != 0);
	close(client);
	close(udp);
	pair_close(pair);
}

static void *write_later(void *of)
{
	write(*(int *)of, "later", 5);
	return NULL;
}

static long epoll_shown(const char *what, int epoll, int ms)
{
	struct epoll_event event = { 0 };
	const int count = epoll_wait(epoll, &event, 1, ms);

	show(what, count);
	if (count > 0)
		show_events(what, (short)event.events);
	return count;
}

static void epolls(int listener)
{
	struct pair pair = pair_make(listener);
	int epoll = epoll_create1(0);
	struct epoll_event event = { EPOLLIN | EPOLLRDHUP, { 0 } };
	pthread_t thread;

	show("EPOLL_CTL_ADD", epoll_ctl(epoll, EPOLL_CTL_ADD, pair.server, &event));
	epoll_shown("epoll of nothing", epoll, 0);
	pthread_create(&thread, NULL, write_later, &pair.client);
	epoll_shown("epoll of data", epoll, SOON_MS);
	pthread_join(thread, NULL);
	epoll_shown("epoll of the same data", epoll, SOON_MS);
	show("read", read(pair.server, copy, 100));
	epoll_shown("epoll of read data", epoll, 0);
	event.events |= EPOLLET;
	epoll_ctl(epoll, EPOLL_CTL_MOD, pair.server, &event);
	write(pair.client, "x", 1);
	epoll_shown("edge", epoll, SOON_MS);
	epoll_shown("no second edge", epoll, 0);
	show("read", read(pair.server, copy, 100));
	show("read", recv(pair.server, copy, 100, MSG_DONTWAIT));
	pthread_create(&thread, NULL, write_later, &pair.client);
	epoll_shown("a new edge", epoll, SOON_MS);
	pthread_join(thread, NULL);
	read(pair.server, copy, 100);
	shutdown(pair.client, SHUT_WR);
	epoll_shown("an edge at the end", epoll, SOON_MS);
	close(epoll);
	pair_close(pair);
}

static void nothing(int signal)
{
	(void)signal;
}

static void *interrupt(void *of)
{
	const struct timespec pause = { 0, 5000000 };

	while (!*(volatile bool *)of) {
		kill(getpid(), SIGUSR1);
		nanosleep(&pause, NULL);
	}
	return NULL;
}

static void signals(int listener)
{
	struct sigaction action = { .sa_handler = nothing };
	struct pair pair = pair_make(listener);
	bool done = false;
	sigset_t set;
	pthread_t thread;

	sigaction(SIGUSR1, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_create(&thread, NULL, interrupt, &done);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	show("recv with a signal", recv(pair.client, copy, 1, 0));
	done = true;
	pthread_join(thread, NULL);
	pair_close(pair);
}

static void version_six(void)
{
	struct sockaddr_in6 name = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	int listener = socket(AF_INET6, SOCK_STREAM, 0), client = socket(AF_INET6, SOCK_STREAM, 0),
	    server;
	socklen_t size = sizeof(name);
	char text[INET6_ADDRSTRLEN];

	show("bind to ::1", bind(listener, (struct sockaddr *)&name, sizeof(name)));
	show("listen", listen(listener, 1));
	getsockname(listener, (struct sockaddr *)&name, &size);
	show("connect", connect(client, (struct sockaddr *)&name, sizeof(name)));
	server = accept(listener, (struct sockaddr *)&name, &size);
	printf("accept: %s\n", inet_ntop(AF_INET6, &name.sin6_addr, text, sizeof(text)));
	write(client, "six", 3);
	show("read", read(server, copy, 10));
	close(listener);
	close(client);
	close(server);
}

int main(void)
{
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in any = local(0);

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (listener < 0) {
		printf("socket: %s\n", strerror(errno));
		return 1;
	}
	options();
	show("bind", bind(listener, (struct sockaddr *)&any, sizeof(any)));
	show("listen", listen(listener, 4));
	errors();
	streams(listener);
	names(listener);
	messages(listener);
	refused();
	full(listener);
	reset(listener);
	datagrams();
	several(listener);
	epolls(listener);
	signals(listener);
	version_six();
	printf("done\n");
	return 0;
}
