// SPDX-License-Identifier: GPL-2.0
/*
 * Sends four streams of 16-byte UDP datagrams to a counting receiver, 42 in each millisecond.
 *
 *   streams SUBJECT ADDRESS PORT SECONDS
 *
 * Prints the cost of sending one datagram, including everything that runs on this CPU meanwhile. If
 * the rate is not reached, the program exits with status 1. The receiver's count shows whether all
 * datagrams have arrived.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include "figure.h"

#define STREAMS 4
#define BURST 42 /* datagrams in a millisecond */
#define LATE 20	 /* milliseconds that all may take longer than they should */

struct datagram {
	uint64_t number, unused;
};

static int sockets[STREAMS];
static uint64_t *samples;
static unsigned long total;

static _Noreturn void wrong(const char *what, unsigned long number)
{
	fprintf(stderr, "streams: %s: %lu\n", what, number);
	exit(1);
}

static int socket_to(const struct sockaddr_in *to)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (fd < 0 || connect(fd, (const struct sockaddr *)to, sizeof(*to)))
		figure_die("socket");
	return fd;
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Sends the datagrams of each millisecond. A late millisecond is made up for. */
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
		struct datagram d = { .number = number };
		uint64_t begin = figure_time();

		if (send(sockets[number % STREAMS], &d, sizeof(d), 0) != sizeof(d))
			figure_die("send");
		samples[number] = figure_time() - begin;
		if (number % BURST == BURST - 1)
			next_ms(&due);
	}
}

int main(int argc, char **argv)
{
	struct figure figure = { "net", "streams", argc == 5 ? argv[1] : "" };
	struct sockaddr_in to = { .sin_family = AF_INET };
	uint64_t begin, took;
	unsigned long seconds;

	if (argc != 5 || !inet_aton(argv[2], &to.sin_addr))
		wrong("SUBJECT ADDRESS PORT SECONDS", 0);
	to.sin_port = htons((uint16_t)figure_number(argv[3]));
	seconds = figure_number(argv[4]);
	total = seconds * 1000 * BURST;
	samples = figure_samples(total);
	figure_pin(0);
	for (int i = 0; i < STREAMS; i++)
		sockets[i] = socket_to(&to);
	begin = now_ms();
	send_all();
	took = now_ms() - begin;
	if (took > seconds * 1000 + LATE)
		wrong("too slow, milliseconds", took);
	figure_print(&figure, samples, total);
	return 0;
}
