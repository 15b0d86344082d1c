// SPDX-License-Identifier: GPL-2.0
/*
 * Clients of `limpet exporter` at 127.0.0.1:9740, all without privileges.
 *
 *   clients get PATH        prints the body of the answer; fails unless the status is 200
 *   clients many COUNT      requests events COUNT times, one after the other
 *   clients slow            keeps 64 connections with sent requests and unread answers, and requests events at the
 *                           maximum rate. Prints "slow" when all of them exist, and runs until a signal
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SLOW 64
#define NOBODY 65534

static void fail(const char *what)
{
	fprintf(stderr, "clients: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* Connects, and sends a request. A small receive buffer leaves most of an answer in the exporter. */
static int request(const char *path, bool small)
{
	const struct sockaddr_in to = { .sin_family = AF_INET,
					.sin_port = htons(9740),
					.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	const int fd = socket(AF_INET, SOCK_STREAM, 0), bytes = 1;
	char text[128];
	int length =
		snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path);

	if (fd < 0)
		fail("socket");
	if (small)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	if (connect(fd, (const void *)&to, sizeof(to)))
		fail("connect");
	if (send(fd, text, (size_t)length, MSG_NOSIGNAL) != length && errno != EPIPE &&
	    errno != ECONNRESET)
		fail("send");
	return fd;
}

/* Reads an answer to its end. Returns its length, or -1 if the exporter has closed the connection before. */
static ssize_t answer_read(int fd, char *text, size_t size)
{
	size_t got = 0;
	ssize_t more;

	while ((more = recv(fd, text + got, size - 1 - got, 0)) > 0)
		got += (size_t)more;
	text[got] = 0;
	close(fd);
	return more || !got ? -1 : (ssize_t)got;
}

static char text[1 << 20];

static int get(const char *path)
{
	const char *body;

	if (answer_read(request(path, false), text, sizeof(text)) < 0)
		fail("no answer");
	body = strstr(text, "\r\n\r\n");
	if (strncmp(text, "HTTP/1.1 200 ", 13) || !body)
		return fprintf(stderr, "%s\n", text), 1;
	fputs(body + 4, stdout);
	return 0;
}

static int many(unsigned long count)
{
	for (unsigned long i = 0; i < count; i++)
		if (answer_read(request("/events", false), text, sizeof(text)) < 0 ||
		    !strstr(text, "data: "))
			return fprintf(stderr, "request %lu has no answer\n", i), 1;
	return 0;
}

static _Noreturn void slow(void)
{
	int fds[SLOW];

	for (unsigned int i = 0; i < SLOW; i++)
		fds[i] = request("/", true);
	puts("slow");
	fflush(stdout);
	for (unsigned int i = 0;; i = (i + 1) % SLOW) {
		answer_read(request("/events", false), text, sizeof(text));
		close(fds[i]);
		fds[i] = request("/", true);
	}
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";

	if (setgid(NOBODY) || setuid(NOBODY))
		fail("setuid");
	if (argc == 3 && !strcmp(word, "get"))
		return get(argv[2]);
	if (argc == 3 && !strcmp(word, "many"))
		return many(strtoul(argv[2], NULL, 10));
	if (argc == 2 && !strcmp(word, "slow"))
		slow();
	return 2;
}
