// SPDX-License-Identifier: GPL-2.0
/*
 * Four streams of 16-byte UDP datagrams to who echoes them, 42 in each millisecond.
 *
 *   streams SUBJECT ADDRESS PORT SECONDS
 *
 * Each datagram has its number, and has to come back once. Prints the times that they took. A datagram that
 * is lost, comes twice or changed, or a rate that was not reached, ends it with status 1.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "figure.h"

#define STREAMS 4
#define BURST 42      /* in a millisecond */
#define PATIENCE 1000 /* milliseconds for the last ones to come back */
#define LATE 20	      /* milliseconds that all may take longer than they should */

struct datagram {
	uint64_t number, sent;
};

static int sockets[STREAMS];
static uint64_t *samples; /* 0: it is not back */
static unsigned long total, back;

static _Noreturn void wrong(const char *what, unsigned long number)
{
	fprintf(stderr, "streams: %s: %lu; %lu of %lu are back\n", what, number, back, total);
	exit(1);
}

static int socket_to(const struct sockaddr_in *to)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0), room = 4 << 20;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)) ||
	    connect(fd, (const struct sockaddr *)to, sizeof(*to)))
		figure_die("socket");
	return fd;
}

static void take(int fd)
{
	struct datagram d;
	ssize_t got;

	while ((got = recv(fd, &d, sizeof(d), MSG_DONTWAIT | MSG_TRUNC)) >= 0) {
		uint64_t now = figure_time();

		if (got != sizeof(d) || d.number >= total || d.sent > now)
			wrong("not what was sent", d.number);
		if (samples[d.number])
			wrong("came twice", d.number);
		samples[d.number] = now - d.sent;
		back++;
	}
	if (errno != EAGAIN)
		figure_die("recv");
}

static void take_all(void)
{
	for (int i = 0; i < STREAMS; i++)
		take(sockets[i]);
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* From millisecond to millisecond: what is late is made up for. */
static void next_ms(struct timespec *due)
{
	due->tv_nsec += 1000000;
	if (due->tv_nsec >= 1000000000) {
		due->tv_nsec -= 1000000000;
		due->tv_sec++;
	}
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, due, NULL);
}

static void send_all(void)
{
	struct timespec due;

	clock_gettime(CLOCK_MONOTONIC, &due);
	for (unsigned long number = 0; number < total; number++) {
		struct datagram d = { .number = number, .sent = figure_time() };

		if (send(sockets[number % STREAMS], &d, sizeof(d), 0) != sizeof(d))
			figure_die("send");
		if (number % BURST == BURST - 1) {
			take_all();
			next_ms(&due);
		}
	}
}

int main(int argc, char **argv)
{
	struct figure figure = { "net", "streams", argc == 5 ? argv[1] : "" };
	struct sockaddr_in to = { .sin_family = AF_INET };
	uint64_t begin, took, until;
	unsigned long seconds;

	if (argc != 5 || !inet_aton(argv[2], &to.sin_addr))
		wrong("SUBJECT ADDRESS PORT SECONDS", 0);
	to.sin_port = htons((uint16_t)figure_number(argv[3]));
	seconds = figure_number(argv[4]);
	total = seconds * 1000 * BURST;
	samples = figure_samples(total);
	memset(samples, 0, total * sizeof(*samples));
	figure_pin(0);
	for (int i = 0; i < STREAMS; i++)
		sockets[i] = socket_to(&to);
	begin = now_ms();
	send_all();
	took = now_ms() - begin;
	for (until = now_ms() + PATIENCE; back < total && now_ms() < until;)
		take_all();
	if (back < total)
		wrong("lost", total - back);
	if (took > seconds * 1000 + LATE)
		wrong("too slow, milliseconds", took);
	figure_print(&figure, samples, total);
	return 0;
}
