// SPDX-License-Identifier: GPL-2.0
/*
 * Measures the time to get a page: from before the request is sent until the answer is complete,
 * including everything that runs on this CPU meanwhile.
 *
 *   load SUBJECT ADDRESS PORT PATH COUNT keep|close
 *
 * keep: one connection, and another one when the server announces that it closes this one. close:
 * one connection for each request, including its opening and closing. An answer other than 200, or
 * with a wrong length, ends the program.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "figure.h"

#define WARM_UP 20
#define ANSWER_MAX 65536

static char answer[ANSWER_MAX + 1];

static _Noreturn void wrong(const char *what)
{
	fprintf(stderr, "load: %s: %.200s\n", what, answer);
	exit(1);
}

static int connect_to(const char *address, const char *port)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port)) };
	int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;

	if (!inet_aton(address, &to.sin_addr))
		wrong("no address");
	if (fd < 0 || setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)) ||
	    connect(fd, (struct sockaddr *)&to, sizeof(to)))
		figure_die("connect");
	return fd;
}

static void connection_end(int *fd)
{
	close(*fd);
	*fd = -1;
}

/* Returns the length of the answer from its head. 0: the head is not complete. */
static size_t answer_size(void)
{
	const char *end = strstr(answer, "\r\n\r\n"), *length = strstr(answer, "Content-Length: ");

	if (!end)
		return 0;
	if (strncmp(answer, "HTTP/1.1 200", 12) && strncmp(answer, "HTTP/1.0 200", 12))
		wrong("not 200");
	if (!length)
		wrong("no length");
	return (size_t)(end + 4 - answer) + strtoul(length + 16, NULL, 10);
}

/* Returns whether the head announces that the server closes the connection. */
static int answer_last(void)
{
	const char *close = strstr(answer, "\r\nConnection: close\r\n");

	return close && close < strstr(answer, "\r\n\r\n");
}

static void answer_take(int fd)
{
	size_t have = 0, size = 0;

	while (!size || have < size) {
		ssize_t got = read(fd, answer + have, ANSWER_MAX - have);

		if (got <= 0)
			wrong("the answer is cut");
		have += (size_t)got;
		answer[have] = 0;
		if (!size)
			size = answer_size();
	}
	if (have != size)
		wrong("more than the answer");
}

int main(int argc, char **argv)
{
	int keep = argc == 7 && !strcmp(argv[6], "keep"), fd = -1;
	struct figure figure = { "net", keep ? "http" : "http-close", argc == 7 ? argv[1] : "" };
	unsigned long count = argc == 7 ? figure_number(argv[5]) : 0;
	uint64_t *samples;
	char request[512];
	int length;

	if (!count)
		wrong("SUBJECT ADDRESS PORT PATH COUNT keep|close");
	samples = figure_samples(count);
	figure_pin(0);
	length = snprintf(request, sizeof(request),
			  "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: %s\r\n\r\n", argv[4], argv[2],
			  keep ? "keep-alive" : "close");
	for (unsigned long i = 0; i < count + WARM_UP; i++) {
		uint64_t begin = figure_time();

		if (fd < 0)
			fd = connect_to(argv[2], argv[3]);
		if (write(fd, request, (size_t)length) != length)
			figure_die("write");
		answer_take(fd);
		if (!keep)
			connection_end(&fd);
		samples[i < WARM_UP ? 0 : i - WARM_UP] = figure_time() - begin;
		if (keep && answer_last())
			connection_end(&fd);
	}
	figure_print(&figure, samples, count);
	return 0;
}
