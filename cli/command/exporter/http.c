// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cli/command/exporter/answer.h>
#include <cli/command/exporter/http.h>

#define BACKLOG 16

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Splits "ADDRESS:PORT". */
static bool where_split(const char *where, char *address, size_t size, const char **port)
{
	const char *colon = strrchr(where, ':');
	bool brackets = *where == '[' && colon && colon > where + 1 && colon[-1] == ']';
	int length = colon ? (int)(colon - where) - (brackets ? 2 : 0) : 0;

	if (!colon || !colon[1] || (size_t)length >= size ||
	    (!brackets && memchr(where, ':', (size_t)(colon - where))))
		return false;
	snprintf(address, size, "%.*s", length, where + brackets);
	*port = colon + 1;
	return true;
}

static int listen_at(const struct addrinfo *at)
{
	int fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int error = 0, on = 1, off = 0;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (at->ai_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	if (bind(fd, at->ai_addr, at->ai_addrlen) || listen(fd, BACKLOG))
		error = -errno;
	if (error)
		close(fd);
	return error ? error : fd;
}

/* Listens at IPv6's addresses, which include IPv4's. Without IPv6, listens at IPv4's. */
static int listen_at_any(const struct addrinfo *list)
{
	int fd = -EADDRNOTAVAIL;

	for (const struct addrinfo *at = list; at && fd < 0; at = at->ai_next)
		if (at->ai_family == AF_INET6)
			fd = listen_at(at);
	for (const struct addrinfo *at = list; at && (fd == -EAFNOSUPPORT || fd == -EADDRNOTAVAIL);
	     at = at->ai_next)
		if (at->ai_family == AF_INET)
			fd = listen_at(at);
	return fd;
}

int http_listen(struct http *http, const char *where, const struct answer_page *pages)
{
	const struct addrinfo hints = {
		.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV,
		.ai_socktype = SOCK_STREAM,
	};
	struct addrinfo *at;
	char address[64];
	const char *port;

	*http = (struct http){ .pages = pages, .listener = -1 };
	if (!where_split(where, address, sizeof(address), &port) ||
	    getaddrinfo(*address ? address : NULL, port, &hints, &at))
		return -EINVAL;
	http->listener = *address ? listen_at(at) : listen_at_any(at);
	freeaddrinfo(at);
	return http->listener < 0 ? http->listener : 0;
}

/* Returns whether an address is that of all addresses. */
static bool at_all(const struct sockaddr_storage *at)
{
	const struct sockaddr_in6 *six = (const void *)at;
	const struct sockaddr_in *four = (const void *)at;

	return at->ss_family == AF_INET6 ? IN6_IS_ADDR_UNSPECIFIED(&six->sin6_addr)
					 : four->sin_addr.s_addr == htonl(INADDR_ANY);
}

int http_address(const struct http *http, char *to, size_t size)
{
	struct sockaddr_storage at = { 0 };
	socklen_t length = sizeof(at);
	char address[64], port[8];

	if (getsockname(http->listener, (void *)&at, &length))
		return -errno;
	if (getnameinfo((void *)&at, length, address, sizeof(address), port, sizeof(port),
			NI_NUMERICHOST | NI_NUMERICSERV))
		return -EAFNOSUPPORT;
	if (at_all(&at))
		snprintf(to, size, "all addresses, port %s", port);
	else
		snprintf(to, size, at.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", address, port);
	return atoi(port);
}

static void connection_free(struct http_connection *connection)
{
	close(connection->fd);
	free(connection->answer);
	connection->state = HTTP_FREE;
}

/* Returns a free connection, or frees the oldest one. */
static struct http_connection *place(struct http *http)
{
	struct http_connection *oldest = http->connection;

	for (struct http_connection *connection = http->connection;
	     connection < http->connection + HTTP_CONNECTIONS; connection++) {
		if (connection->state == HTTP_FREE)
			return connection;
		if (connection->until < oldest->until)
			oldest = connection;
	}
	connection_free(oldest);
	return oldest;
}

static int connection_accept(struct http *http)
{
	int fd = accept4(http->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct http_connection *connection;

	if (fd < 0) /* the client has left, or memory ran out; the next one can succeed */
		return errno == EBADF || errno == EINVAL || errno == ENOTSOCK ? -errno : 0;
	connection = place(http);
	connection->state = HTTP_READS;
	connection->fd = fd;
	connection->until = now_ns() + HTTP_SECONDS * 1000000000ull;
	connection->got = connection->size = connection->sent = 0;
	connection->answer = NULL;
	return 0;
}

static void connection_answer(struct http_connection *connection, char *answer)
{
	connection->answer = answer;
	connection->state = HTTP_WRITES;
	if (!answer)
		connection_free(connection);
}

static void connection_read(struct http *http, struct http_connection *connection)
{
	ssize_t got = recv(connection->fd, connection->request + connection->got,
			   HTTP_REQUEST - connection->got, 0);
	char *end;

	if (got <= 0) {
		if (!got || errno != EAGAIN)
			connection_free(connection);
		return;
	}
	connection->got += (size_t)got;
	connection->request[connection->got] = 0;
	end = strstr(connection->request, "\r\n\r\n");
	if (end) {
		end[2] = 0;
		connection_answer(connection, answer_request(connection->request, http->pages,
							     &connection->size));
	} else if (connection->got == HTTP_REQUEST) {
		connection_answer(connection,
				  answer_status(ANSWER_TOO_LONG, true, &connection->size));
	}
}

static void connection_write(struct http_connection *connection)
{
	ssize_t sent = send(connection->fd, connection->answer + connection->sent,
			    connection->size - connection->sent, MSG_NOSIGNAL);

	if (sent < 0) {
		if (errno != EAGAIN)
			connection_free(connection);
		return;
	}
	connection->sent += (size_t)sent;
	if (connection->sent < connection->size)
		return;
	/* If this closed while the client still sends, TCP would reset the connection and the answer would be lost. */
	shutdown(connection->fd, SHUT_WR);
	connection->state = HTTP_ENDS;
}

static void connection_end(struct http_connection *connection)
{
	ssize_t got = recv(connection->fd, connection->request, HTTP_REQUEST, 0);

	if (!got || (got < 0 && errno != EAGAIN))
		connection_free(connection);
}

static void connection_step(struct http *http, struct http_connection *connection, short events)
{
	if (events && connection->state == HTTP_READS)
		connection_read(http, connection);
	else if (events && connection->state == HTTP_WRITES)
		connection_write(connection);
	else if (events && connection->state == HTTP_ENDS)
		connection_end(connection);
	if (connection->state != HTTP_FREE && now_ns() >= connection->until)
		connection_free(connection);
}

/* Fills the list of descriptors for poll(), and returns the timeout. */
static int polls_fill(const struct http *http, struct pollfd *polls, int ms)
{
	uint64_t now = now_ns();

	polls[HTTP_CONNECTIONS] = (struct pollfd){ .fd = http->listener, .events = POLLIN };
	for (unsigned int i = 0; i < HTTP_CONNECTIONS; i++) {
		const struct http_connection *connection = &http->connection[i];
		int left = connection->until > now ? (int)((connection->until - now) / 1000000) + 1
						   : 0;

		polls[i] = (struct pollfd){ .fd = -1 };
		if (connection->state == HTTP_FREE)
			continue;
		polls[i].fd = connection->fd;
		polls[i].events = connection->state == HTTP_WRITES ? POLLOUT : POLLIN;
		if (ms < 0 || left < ms)
			ms = left;
	}
	return ms;
}

int http_step(struct http *http, int ms)
{
	struct pollfd polls[HTTP_CONNECTIONS + 1];

	ms = polls_fill(http, polls, ms);
	if (poll(polls, HTTP_CONNECTIONS + 1, ms) < 0)
		return errno == EINTR ? 0 : -errno;
	for (unsigned int i = 0; i < HTTP_CONNECTIONS; i++)
		if (polls[i].fd >= 0)
			connection_step(http, &http->connection[i], polls[i].revents);
	return polls[HTTP_CONNECTIONS].revents ? connection_accept(http) : 0;
}

void http_close(struct http *http)
{
	for (unsigned int i = 0; i < HTTP_CONNECTIONS; i++)
		if (http->connection[i].state != HTTP_FREE)
			connection_free(&http->connection[i]);
	close(http->listener);
}
