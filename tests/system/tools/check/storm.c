// SPDX-License-Identifier: GPL-2.0
/*
 * storm CPU FROM: from the CPU `FROM`, interrupts the other one without end, until it is killed. A read of a CPU's MSR
 * from another CPU is such an interrupt.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define TSC 0x10

int main(int argc, char **argv)
{
	char path[64];
	uint64_t value;
	cpu_set_t set;
	int fd;

	if (argc < 3)
		return 2;
	CPU_ZERO(&set);
	CPU_SET(atoi(argv[2]), &set);
	snprintf(path, sizeof(path), "/dev/cpu/%d/msr", atoi(argv[1]));
	fd = open(path, O_RDONLY);
	if (fd < 0 || sched_setaffinity(0, sizeof(set), &set)) {
		perror(path);
		return 1;
	}
	while (pread(fd, &value, sizeof(value), TSC) == sizeof(value))
		;
	perror(path);
	return 1;
}
