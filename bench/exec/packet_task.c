// SPDX-License-Identifier: GPL-2.0
/*
 * A task that receives one of the packet streams with read() and computes for each datagram. It is an ordinary program
 * that does not depend on a scheduler.
 *
 *   packet_task STREAM PROMISE SUBJECT BEGIN SECONDS      PROMISE: datagrams a second, or "none"
 *
 * The measurement lasts SECONDS from BEGIN, which is in seconds of CLOCK_MONOTONIC.
 *
 * Prints the percentage of periods in which the promise was met, rounded down; the rate in each period; and the jitter:
 * how much the time between two datagrams differs between sending and receiving, for successive received datagrams.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "packets.h"

/*
 * Steps of computing for each datagram. Debian's 6.1 then has time for 76,000 datagrams a second of all tasks. That is
 * more than is promised, and less than two whole streams and the promise of the third.
 */
#define STEPS 1200

/* The measurement. Times are time stamps. */
static struct {
	uint64_t begin, end, period;
	unsigned long periods, jitters;
	uint64_t *counts, *jitter;
} window;

static _Noreturn void wrong(const char *what, unsigned long value)
{
	fprintf(stderr, "packet_task: %s: %lu\n", what, value);
	exit(1);
}

/* Computes. The assembly keeps the compiler from removing the loop. */
static void compute(uint64_t value)
{
	for (unsigned int i = 0; i < STEPS; i++) {
		value = value * 6364136223846793005ul + 1442695040888963407ul;
		__asm__ volatile("" : "+r"(value));
	}
}

static void window_open(uint64_t begin_second, unsigned long seconds)
{
	struct clock clock = clock_learn();
	uint64_t begin = begin_second * CLOCK_SECOND;

	if (clock.ns > begin)
		wrong("started after the beginning, at ns", clock.ns);
	window.begin = clock_ticks(&clock, begin);
	window.end = clock_ticks(&clock, begin + seconds * CLOCK_SECOND);
	window.periods = seconds * 1000 / PERIOD_MS;
	window.period = (window.end - window.begin) / window.periods;
	window.counts = calloc(window.periods, sizeof(uint64_t));
	window.jitter = figure_samples(seconds * 1000 * BURST * 2);
	if (!window.counts)
		figure_die("calloc");
}

static void count(uint64_t now, uint64_t gap_received, uint64_t gap_sent)
{
	unsigned long period = (now - window.begin) / window.period;

	/* A few ticks at the end belong to no period. */
	if (period < window.periods)
		window.counts[period]++;
	window.jitter[window.jitters++] = gap_received > gap_sent ? gap_received - gap_sent
								  : gap_sent - gap_received;
}

static void check(const struct packet *packet, const struct packet *last, unsigned int stream)
{
	if (packet->stream != stream)
		wrong("a datagram of stream", packet->stream);
	if (packet->number <= last->number || packet->sent < last->sent)
		wrong("not in order, datagram", packet->number);
}

static void receive_all(int fd, unsigned int stream)
{
	struct packet packet, last = { 0 };
	uint64_t now = 0, before;

	while (now < window.end) {
		if (read(fd, &packet, sizeof(packet)) != sizeof(packet))
			figure_die("read");
		before = now;
		now = figure_time();
		check(&packet, &last, stream);
		if (before >= window.begin && now < window.end)
			count(now, now - before, packet.sent - last.sent);
		last = packet;
		compute(packet.number);
	}
}

static void print(const char *name, unsigned int stream, const char *subject, const char *unit,
		  uint64_t *samples, unsigned long number)
{
	char text[32];
	struct figure figure = { "exec", text, subject };

	snprintf(text, sizeof(text), "%s-%u", name, stream);
	figure_print_unit(&figure, unit, samples, number);
}

static uint64_t percent_met(unsigned long promise)
{
	unsigned long met = 0;

	for (unsigned long i = 0; i < window.periods; i++)
		met += window.counts[i] >= promise * PERIOD_MS / 1000;
	return met * 100 / window.periods;
}

int main(int argc, char **argv)
{
	unsigned int stream = argc == 6 ? (unsigned int)strtoul(argv[1], NULL, 10) : STREAMS;
	struct sockaddr_in address = packets_address(stream);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	unsigned long promise;
	uint64_t met;

	if (stream >= STREAMS)
		figure_usage(
			"packet_task STREAM PROMISE|none SUBJECT BEGIN SECONDS, STREAM from 0 to 3");
	promise = strcmp(argv[2], "none") ? figure_number(argv[2]) : 0;
	figure_pin(0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)))
		figure_die("bind");
	window_open(figure_number(argv[4]), figure_number(argv[5]));
	receive_all(fd, stream);
	met = percent_met(promise);
	if (promise)
		print("stream", stream, argv[3], "percent", &met, 1);
	for (unsigned long i = 0; i < window.periods; i++)
		window.counts[i] *= 1000 / PERIOD_MS;
	print("stream-rate", stream, argv[3], "packets/s", window.counts, window.periods);
	if (window.jitters) /* a task that the others starve has none */
		print("stream-jitter", stream, argv[3], "ticks", window.jitter, window.jitters);
	return 0;
}
