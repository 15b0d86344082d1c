// SPDX-License-Identifier: GPL-2.0
/*
 * Sleeps 100 times for 2 ms, and prints the number of sleeps that ended too early and the median of their delays in
 * microseconds. Arguments: the timer slack of the thread in microseconds, 0 for Linux's default, and the CPU.
 */
#include "tests/system/lib/device.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define COUNT 100
#define LENGTH 2000000l

static int compare(const void *a, const void *b)
{
	const long first = *(const long *)a, second = *(const long *)b;

	return (first > second) - (first < second);
}

static long nanoseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000l + now.tv_nsec;
}

int main(int argc, char **argv)
{
	const struct timespec length = { 0, LENGTH };
	long delay[COUNT], start, early = 0;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(argc > 2 ? atoi(argv[2]) : 0, &cpus);
	if (argc != 3 || sched_setaffinity(0, sizeof(cpus), &cpus) ||
	    prctl(PR_SET_TIMERSLACK, atol(argv[1]) * 1000))
		return 2;
	for (int i = 0; i < COUNT; i++) {
		start = nanoseconds();
		if (syscall(SYS_nanosleep, &length, NULL))
			return 1;
		delay[i] = nanoseconds() - start - LENGTH;
		early += delay[i] < 0;
	}
	qsort(delay, COUNT, sizeof(delay[0]), compare);
	printf("%ld %ld\n", early, delay[COUNT / 2] / 1000);
	return 0;
}
