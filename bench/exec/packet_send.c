// SPDX-License-Identifier: GPL-2.0
/*
 * Sends four streams of 42,000 UDP datagrams a second each, between two times. It represents hosts at the other end
 * of a network. So it runs with a real-time priority, and so does Linux's thread for packets that have arrived. Otherwise
 * not only the tasks' scheduler would decide which packets they receive. A burst leaves as one packet that Linux
 * segments on arrival (UDP_SEGMENT), because a network card, too, delivers many datagrams with one interrupt. Sending
 * at a lower rate is an error.
 *
 *   packet_send FROM UNTIL      in seconds of CLOCK_MONOTONIC
 */
#include <dirent.h>
#include <linux/udp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "packets.h"

#define PRIORITY 90
#define MS 1000000ul
#define LATE (20 * MS) /* maximum lateness of a burst in ns */

static void burst_send(int fd, unsigned int stream, uint32_t number)
{
	struct sockaddr_in to = packets_address(stream);
	struct packet packets[BURST];
	uint64_t now = figure_time();

	for (unsigned int i = 0; i < BURST; i++)
		packets[i] = (struct packet){ stream, number + i, now };
	if (sendto(fd, packets, sizeof(packets), 0, (struct sockaddr *)&to, sizeof(to)) !=
	    sizeof(packets))
		figure_die("sendto");
}

/* Returns the thread of Linux that handles softirqs of CPU 0. */
static pid_t softirq_thread(void)
{
	DIR *folder = opendir("/proc");
	struct dirent *entry;
	char path[300], name[32];
	pid_t found = 0;
	FILE *file;

	while (folder && !found && (entry = readdir(folder))) {
		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		file = fopen(path, "re");
		if (file && fgets(name, sizeof(name), file) && !strcmp(name, "ksoftirqd/0\n"))
			found = atoi(entry->d_name);
		if (file)
			fclose(file);
	}
	if (folder)
		closedir(folder);
	return found;
}

/* With priority 0 the thread is an ordinary one, as before. */
static void softirq_priority(int priority)
{
	const struct sched_param value = { .sched_priority = priority };
	const pid_t thread = softirq_thread();

	/* musl's function refuses. */
	if (!thread ||
	    syscall(SYS_sched_setscheduler, thread, priority ? SCHED_FIFO : SCHED_OTHER, &value))
		figure_die("ksoftirqd/0");
}

static int socket_open(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0), size = sizeof(struct packet);

	if (fd < 0 || setsockopt(fd, IPPROTO_UDP, UDP_SEGMENT, &size, sizeof(size)))
		figure_die("UDP_SEGMENT");
	return fd;
}

int main(int argc, char **argv)
{
	uint64_t until, due;
	int fd = socket_open();

	if (argc != 3)
		figure_usage("packet_send FROM UNTIL");
	due = figure_number(argv[1]) * CLOCK_SECOND;
	until = figure_number(argv[2]) * CLOCK_SECOND;
	figure_pin(0);
	figure_realtime(PRIORITY);
	softirq_priority(PRIORITY - 1);
	for (uint32_t number = 1; due < until; number += BURST, due += MS) {
		const struct timespec when = { (time_t)(due / CLOCK_SECOND),
					       (long)(due % CLOCK_SECOND) };

		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL);
		if (clock_now() > due + LATE) {
			fprintf(stderr, "packet_send: burst %lu is late\n", number / BURST);
			return 1;
		}
		for (unsigned int stream = 0; stream < STREAMS; stream++)
			burst_send(fd, stream, number);
	}
	softirq_priority(0);
	return 0;
}
