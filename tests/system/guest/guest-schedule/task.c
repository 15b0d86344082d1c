// SPDX-License-Identifier: GPL-2.0
/*
 * Unmodified programs that use processor time. All run on CPU 0 from START on, in seconds of CLOCK_MONOTONIC, and print
 * one line.
 *
 *   NAME burn START MS                      Computes until START + MS milliseconds. Prints its processor time in ms.
 *   NAME periodic START PERIOD WORK COUNT   Runs COUNT jobs, one in each period of PERIOD microseconds. Each job
 *                                           computes for WORK microseconds. Prints the number of jobs that missed their
 *                                           deadline, and the minimum time from a job's end to its deadline in
 *                                           microseconds.
 *   NAME talk START COUNT                   Lets two processes exchange a byte COUNT times. Prints the time in ms.
 *   NAME yield START MS                     Calls sched_yield() until START + MS milliseconds. Prints the call count.
 *   NAME forks START MS                     Runs five children, each of which is like `burn`. Prints their processor
 *                                           time in ms.
 *   NAME slice START 0                      Prints the time slices of a child and of itself in µs.
 *   NAME fifo START COMMAND...              Executes the command with policy SCHED_FIFO.
 */
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cli/common/sched_attr.h>

#include "tests/system/lib/tasks.h"

static void burn_until(int64_t end)
{
	while (now(CLOCK_MONOTONIC) < end)
		;
}

static void burn(int64_t start, int64_t ns)
{
	burn_until(start + ns);
	printf("%ld\n", (long)(now(CLOCK_PROCESS_CPUTIME_ID) / MS));
}

static void periodic(int64_t start, int64_t period, int64_t work, long count)
{
	int64_t spare, min = period;
	long late = 0;

	for (long i = 0; i < count; i++) {
		sleep_until(start + i * period);
		compute(work);
		spare = start + (i + 1) * period - now(CLOCK_MONOTONIC);
		late += spare < 0;
		min = spare < min ? spare : min;
	}
	printf("%ld %ld\n", late, (long)(min / US));
}

static void talk(int64_t start, long count)
{
	int to[2], from[2];
	char byte = 0;

	if (pipe(to) || pipe(from))
		exit(1);
	if (!fork()) {
		close(to[1]);
		while (read(to[0], &byte, 1) == 1)
			if (write(from[1], &byte, 1) != 1)
				break;
		_exit(0);
	}
	close(to[0]);
	for (long i = 0; i < count; i++)
		if (write(to[1], &byte, 1) != 1 || read(from[0], &byte, 1) != 1)
			exit(1);
	close(to[1]);
	wait(NULL);
	printf("%ld\n", (long)((now(CLOCK_MONOTONIC) - start) / MS));
}

static void yield(int64_t end)
{
	long count = 0;

	for (; now(CLOCK_MONOTONIC) < end; count++)
		sched_yield();
	printf("%ld\n", count);
}

static void forks(int64_t end)
{
	struct rusage used;

	for (int i = 0; i < 5; i++)
		if (!fork()) {
			burn_until(end);
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	getrusage(RUSAGE_CHILDREN, &used);
	printf("%ld\n", (long)(used.ru_utime.tv_sec * 1000 + used.ru_utime.tv_usec / 1000 +
			       used.ru_stime.tv_sec * 1000 + used.ru_stime.tv_usec / 1000));
}

/* Prints the time slice of this thread. */
static void slice_print(void)
{
	struct sched_attr attributes;

	if (syscall(SYS_sched_getattr, 0, &attributes, sizeof(attributes), 0))
		exit(1);
	printf("%ld ", (long)(attributes.sched_runtime / 1000));
	fflush(stdout);
}

static void slice(void)
{
	if (!fork()) {
		slice_print();
		_exit(0);
	}
	wait(NULL);
	slice_print();
}

static void fifo(char **words)
{
	const struct sched_param priority = { .sched_priority = 1 };

	if (!sched_setscheduler(0, SCHED_FIFO, &priority))
		execvp(words[0], words);
	exit(1);
}

int main(int argc, char **argv)
{
	int64_t start, number[3] = { 0 };

	if (argc < 4)
		return 2;
	start = atoll(argv[2]) * SECOND;
	for (int i = 3; i < argc && i < 6; i++)
		number[i - 3] = atoll(argv[i]);
	sleep_until(start);
	if (!strcmp(argv[1], "burn"))
		burn(start, number[0] * MS);
	else if (!strcmp(argv[1], "periodic"))
		periodic(start, number[0] * US, number[1] * US, (long)number[2]);
	else if (!strcmp(argv[1], "talk"))
		talk(start, (long)number[0]);
	else if (!strcmp(argv[1], "yield"))
		yield(start + number[0] * MS);
	else if (!strcmp(argv[1], "forks"))
		forks(start + number[0] * MS);
	else if (!strcmp(argv[1], "slice"))
		slice();
	else if (!strcmp(argv[1], "fifo"))
		fifo(argv + 3);
	else
		return 2;
	return 0;
}
