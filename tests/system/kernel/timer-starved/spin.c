// SPDX-License-Identifier: GPL-2.0
/*
 *   spin CPU MS
 *
 * Keeps a CPU for MS milliseconds, so that no other thread runs there. Prints the number of timer interrupts of the CPU
 * during that time.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

/* Returns the CPU's count in the line LOC of /proc/interrupts. */
static unsigned long interrupts(int cpu)
{
	static char text[1 << 16];
	int fd = open("/proc/interrupts", O_RDONLY);
	size_t size = 0;
	ssize_t got;
	char *at;

	while (fd >= 0 && (got = read(fd, text + size, sizeof(text) - 1 - size)) > 0)
		size += (size_t)got;
	close(fd);
	at = strstr(text, "LOC:");
	if (!at)
		fail("/proc/interrupts");
	at += strlen("LOC:");
	for (int i = 0; i < cpu; i++)
		strtoul(at, &at, 10);
	return strtoul(at, NULL, 10);
}

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int main(int argc, char **argv)
{
	const struct sched_param first = { .sched_priority = 99 };
	const int cpu = argc == 3 ? atoi(argv[1]) : -1;
	unsigned long before;
	cpu_set_t here;
	long end;

	if (cpu < 0)
		fail("spin CPU MS");
	CPU_ZERO(&here);
	CPU_SET(cpu, &here);
	if (sched_setaffinity(0, sizeof(here), &here) || sched_setscheduler(0, SCHED_FIFO, &first))
		fail("the scheduler");
	before = interrupts(cpu);
	end = now_ms() + atol(argv[2]);
	while (now_ms() < end)
		;
	printf("%lu\n", interrupts(cpu) - before);
	return 0;
}
