// SPDX-License-Identifier: GPL-2.0
/*
 * A program for a debugger. With the argument `beat` it calls beat() in an endless loop, and writes
 * the number of calls to the file of the second argument. With `crash` it ends by SIGSEGV, with a
 * text at PLACE.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PLACE ((char *)0x100000000)

volatile long count;
long beat(long n);
void crash(volatile int *address);

__attribute__((noinline)) long beat(long n)
{
	long result;

	count = n;
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"((long)SYS_getppid)
			 : "rcx", "r11", "memory");
	return result + n;
}

__attribute__((noinline)) void crash(volatile int *address)
{
	*address = 1;
}

static void beat_always(const char *path)
{
	const struct timespec pause = { 0, 1000000 };
	const int file = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
	char text[20];

	for (long n = 1;; n++) {
		beat(n);
		if (pwrite(file, text, (size_t)snprintf(text, sizeof(text), "%ld\n", n), 0) < 0)
			_exit(1);
		nanosleep(&pause, NULL);
	}
}

int main(int argc, char **argv)
{
	if (argc > 2)
		beat_always(argv[2]);
	if (mmap(PLACE, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		 -1, 0) != PLACE)
		return 1;
	strcpy(PLACE, "memory of the program");
	beat(7);
	crash((volatile int *)(uintptr_t)(argc + 0x10));
	return 2;
}
