// SPDX-License-Identifier: GPL-2.0
/* above CPU: computes on a CPU with SCHED_FIFO priority 99 for 5 ms of each 25 ms, until it is killed. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define BURST_NS 5000000
#define PAUSE_NS 20000000

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

int main(int argc, char **argv)
{
	const struct sched_param parameters = { .sched_priority = 99 };
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(argc > 1 ? atoi(argv[1]) : 0, &set);
	if (sched_setaffinity(0, sizeof(set), &set) ||
	    sched_setscheduler(0, SCHED_FIFO, &parameters)) {
		perror("above");
		return 1;
	}
	for (;;) {
		long long end = now_ns() + BURST_NS;

		while (now_ns() < end)
			;
		nanosleep(&pause, NULL);
	}
}
