// SPDX-License-Identifier: GPL-2.0
/*
 * Measures a message in one direction between two partners on one CPU, user level to user level:
 * from before the sender's call until the receiver has the message. The receiver waits, and has the
 * higher priority.
 *
 *   ferry pipe|eventfd|channel|node [ROUNDS]   two Linux processes; a Linux process and the component ferry, by
 *                                              liblimpet, and by read and write
 *   ferry polled [ROUNDS]                      the cost of each side for a message, with polling
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <client/channel.h>
#include <components/probe/ferry/ferry.h>

#include "figure.h"

#define SUITE "table2"
#define WARM_UP 50
/* The host thread has priority 90. This is lower for a sender, higher for a receiver. */
#define BELOW 85
#define HOST 90
#define ABOVE 95

static struct limpet_channel channel;
static int node;

static void fail(const char *what, long error)
{
	errno = (int)-error;
	figure_die(what);
}

static void pause_ms(long ms)
{
	struct timespec pause = { 0, ms * 1000000 };

	nanosleep(&pause, NULL);
}

static void report(const char *name, const char *subject, uint64_t *samples, unsigned long count)
{
	struct figure figure = { SUITE, name, subject };

	figure_print(&figure, samples, count);
}

/* --- two Linux processes */

static volatile uint64_t *sent; /* shared */

static void linux_send(int to)
{
	uint64_t one = 1;

	*sent = figure_time();
	if (write(to, &one, sizeof(one)) != sizeof(one))
		figure_die("write");
}

static void linux_receive(int from, const char *subject, unsigned long rounds)
{
	uint64_t *samples = figure_samples(rounds);
	uint64_t message;

	figure_realtime(ABOVE);
	for (unsigned long i = 0; i < rounds + WARM_UP; i++) {
		if (read(from, &message, sizeof(message)) != sizeof(message))
			figure_die("read");
		samples[i < WARM_UP ? 0 : i - WARM_UP] = figure_time() - *sent;
	}
	report("to-linux", subject, samples, rounds);
	report("from-linux", subject, samples, rounds);
}

static void linux_pair(int from, int to, const char *subject, unsigned long rounds)
{
	int status;

	sent = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (sent == MAP_FAILED)
		figure_die("mmap");
	if (!fork()) {
		linux_receive(from, subject, rounds);
		exit(0);
	}
	figure_realtime(HOST);
	for (unsigned long i = 0; i < rounds + WARM_UP; i++) {
		pause_ms(1); /* it sleeps in read by now */
		linux_send(to);
	}
	if (wait(&status) < 0 || status)
		figure_die("receiver");
}

/* --- a process and a component */

static long channel_send(const struct ferry *message)
{
	return limpet_channel_send(&channel, message, sizeof(*message), -1);
}

static long channel_receive(struct ferry *message)
{
	return limpet_channel_receive(&channel, message, sizeof(*message), -1);
}

static long node_send(const struct ferry *message)
{
	return write(node, message, sizeof(*message)) < 0 ? -errno : 0;
}

static long node_receive(struct ferry *message)
{
	long length = read(node, message, sizeof(*message));

	return length < 0 ? -errno : length;
}

/* Asks and waits for the answer, with a higher or a lower priority than the component. */
static void exchanges(int priority, const char *name, const char *subject, unsigned long rounds,
		      long (*send)(const struct ferry *), long (*receive)(struct ferry *))
{
	uint64_t *samples = figure_samples(rounds);

	figure_realtime(priority);
	for (unsigned long i = 0; i < rounds + WARM_UP; i++) {
		const struct ferry order = { .order = FERRY_ANSWER };
		struct ferry answer;
		uint64_t begin = figure_time(), now;
		long error = send(&order);

		if (error)
			fail("send", error);
		error = receive(&answer);
		now = figure_time();
		if (error != sizeof(answer))
			fail("receive", error);
		samples[i < WARM_UP ? 0 : i - WARM_UP] = priority == ABOVE ? now - answer.sent
									   : answer.came - begin;
	}
	report(name, subject, samples, rounds);
}

static void both_ways(const char *subject, unsigned long rounds, long (*send)(const struct ferry *),
		      long (*receive)(struct ferry *))
{
	exchanges(ABOVE, "to-linux", subject, rounds, send, receive);
	exchanges(BELOW, "from-linux", subject, rounds, send, receive);
}

static void channel_open(void)
{
	long error = limpet_channel_open(&channel, "ferry");

	if (error)
		fail("channel", error);
}

/* --- polling */

static void order(uint64_t what)
{
	const struct ferry message = { .order = what };
	long error = channel_send(&message);

	if (error)
		fail("send", error);
}

static void polled_round(uint64_t *put, uint64_t *take, struct ferry_polled *theirs)
{
	for (unsigned int i = 0; i < FERRY_POLLED; i++) {
		uint64_t begin = figure_time();
		struct ferry *to = limpet_channel_reserve(&channel, sizeof(*to));

		if (!to)
			figure_die("no space");
		to->order = FERRY_ANSWER;
		limpet_channel_commit(&channel, sizeof(*to));
		put[i] = figure_time() - begin;
	}
	pause_ms(5);
	for (unsigned int i = 0; i < FERRY_POLLED; i++) {
		uint64_t length, begin = figure_time();
		const struct ferry_polled *from = limpet_channel_peek(&channel, &length);

		if (!from || length != sizeof(*from))
			figure_die("no answer");
		theirs[i] = *from;
		limpet_channel_release(&channel);
		take[i] = figure_time() - begin;
	}
}

/* The first message of a round does not have the time of a previous one. */
static void polled(unsigned long rounds)
{
	const unsigned long max = rounds * FERRY_POLLED;
	uint64_t *put = figure_samples(max), *take = figure_samples(max);
	uint64_t *their_put = figure_samples(max), *their_take = figure_samples(max);
	unsigned long puts = 0;

	figure_realtime(ABOVE);
	order(FERRY_POLL);
	pause_ms(5);
	for (unsigned long i = 0; i < rounds; i++) {
		struct ferry_polled theirs[FERRY_POLLED];

		polled_round(put + i * FERRY_POLLED, take + i * FERRY_POLLED, theirs);
		for (unsigned int j = 0; j < FERRY_POLLED; j++) {
			their_take[i * FERRY_POLLED + j] = theirs[j].take;
			if (j)
				their_put[puts++] = theirs[j].put;
		}
	}
	order(FERRY_END);
	report("polled", "linux-put", put, max);
	report("polled", "linux-take", take, max);
	report("polled", "component-put", their_put, puts);
	report("polled", "component-take", their_take, max);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	unsigned long rounds = argc > 2 ? figure_number(argv[2]) : 1000;
	int ends[2];

	figure_pin(0);
	mlockall(MCL_CURRENT | MCL_FUTURE);
	if (!strcmp(what, "pipe") && !pipe(ends)) {
		linux_pair(ends[0], ends[1], what, rounds);
	} else if (!strcmp(what, "eventfd")) {
		ends[0] = eventfd(0, 0);
		linux_pair(ends[0], ends[0], what, rounds);
	} else if (!strcmp(what, "channel")) {
		channel_open();
		both_ways("limpet", rounds, channel_send, channel_receive);
	} else if (!strcmp(what, "node")) {
		node = open(LIMPET_NODES "ferry", O_RDWR);
		both_ways("limpet.read-write", rounds, node_send, node_receive);
	} else if (!strcmp(what, "polled")) {
		channel_open();
		polled(rounds / FERRY_POLLED + 1);
	} else {
		return 2;
	}
	return 0;
}
