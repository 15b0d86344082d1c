// SPDX-License-Identifier: GPL-2.0
/*
 * Makes `count` calls of getpgid(), sync_file_range() and of a number that Linux does not have, one every millisecond.
 * Then returns 0.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	for (int count = argc > 1 ? atoi(argv[1]) : 0; count > 0; count--) {
		syscall(SYS_getpgid, 0);
		syscall(SYS_sync_file_range, -1, 0, 0, 0);
		syscall(0x40000000 | SYS_getpid);
		usleep(1000);
	}
	return 0;
}
