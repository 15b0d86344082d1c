// SPDX-License-Identifier: GPL-2.0
/*
 * Measures one-way latencies from user level to user level on one CPU. A latency starts before the sender's call, and
 * ends at the receiver's first instruction. latency channel: a Linux process and a component. latency pipe: two Linux
 * processes. Prints "WAY MEDIAN" lines. The receiver has a higher priority than the sender, and the components have
 * priority 90.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>

#include <limpet/node.h>

#include "stamps.h"

#define ROUNDS 400
#define WARM 20

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void real_time(int priority)
{
	struct sched_param parameters = { .sched_priority = priority };

	if (sched_setscheduler(0, SCHED_FIFO, &parameters) || mlockall(MCL_CURRENT | MCL_FUTURE))
		fail("real-time priority");
}

static int compare(const void *a, const void *b)
{
	return *(const uint64_t *)a < *(const uint64_t *)b ? -1 : 1;
}

static void print_median(const char *way, uint64_t *samples)
{
	qsort(samples + WARM, ROUNDS - WARM, sizeof(*samples), compare);
	printf("%s %lu\n", way, samples[WARM + (ROUNDS - WARM) / 2]);
}

static volatile struct stamps *channel_open(int *fd)
{
	struct limpet_node_info info;
	char *memory;

	*fd = open(LIMPET_NODES "echo", O_RDWR | O_CLOEXEC);
	if (*fd < 0 || ioctl(*fd, LIMPET_NODE_INFO, &info))
		fail("channel");
	memory = mmap(NULL, info.size, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	if (memory == MAP_FAILED)
		fail("mmap");
	return (volatile struct stamps *)(memory + LIMPET_CHANNEL_PAGE);
}

/* Runs rounds at a priority below the components', where they receive first, or above it, where this process does. */
static void rounds(int fd, volatile struct stamps *stamps, uint64_t *there, uint64_t *back)
{
	uint64_t events;

	if (ioctl(fd, LIMPET_NODE_EVENTS, &events))
		fail("events");
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t round = stamps->round;

		stamps->sent = __rdtsc();
		if (fdatasync(fd))
			fail("notify");
		if (read(fd, &events, sizeof(events)) != sizeof(events))
			fail("read");
		back[i] = __rdtsc() - stamps->replied;
		there[i] = stamps->arrived - stamps->sent;
		if (stamps->round != round + 1)
			fail("a round that was not answered once");
	}
}

static void channel(void)
{
	static uint64_t there[ROUNDS], back[ROUNDS];
	int fd;
	volatile struct stamps *stamps = channel_open(&fd);

	real_time(85);
	rounds(fd, stamps, there, back);
	print_median("to-component", there);
	real_time(95);
	rounds(fd, stamps, there, back);
	print_median("to-linux", back);
}

static void pipe_receive(int from)
{
	static uint64_t samples[ROUNDS];

	real_time(95);
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t sent;

		if (read(from, &sent, sizeof(sent)) != sizeof(sent))
			fail("read");
		samples[i] = __rdtsc() - sent;
	}
	print_median("pipe", samples);
}

static void pipes(void)
{
	int ends[2], status;

	if (pipe(ends))
		fail("pipe");
	if (!fork()) {
		pipe_receive(ends[0]);
		exit(0);
	}
	real_time(90);
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t now;

		usleep(300);
		now = __rdtsc();
		if (write(ends[1], &now, sizeof(now)) != sizeof(now))
			fail("write");
	}
	if (wait(&status) < 0 || status)
		fail("receiver");
}

int main(int count, char **arguments)
{
	if (count == 2 && !strcmp(arguments[1], "channel"))
		channel();
	else if (count == 2 && !strcmp(arguments[1], "pipe"))
		pipes();
	else
		return 2;
	return 0;
}
