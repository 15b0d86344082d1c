// SPDX-License-Identifier: GPL-2.0
/*
 * Measures an ordinary process's part of a processor.
 *
 *   counter SECONDS
 *
 * Prints the process's processor time in per mille of the elapsed time, and the longest time in ms without it.
 */
#include "../../lib/device.h"

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double start = seconds(), cpu = cpu_seconds(), used, now = start, last = start, gap = 0;
	double end = start + (argc > 1 ? atof(argv[1]) : 5);

	while (now < end) {
		last = now;
		now = seconds();
		gap = now - last > gap ? now - last : gap;
	}
	/* The elapsed time is read last, so that a pause of the machine in between cannot make the part larger. */
	used = cpu_seconds() - cpu;
	now = seconds();
	printf("%.0f %.0f\n", used / (now - start) * 1000, gap * 1000);
	return 0;
}
