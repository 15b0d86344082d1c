// SPDX-License-Identifier: BSD-2-Clause
/*
 * Prints the results of accesses to mappings of files: before and after the end, read-only, and with MAP_FIXED. Also
 * unmaps parts of mappings.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "same.h"

#define PAGE 4096l
#define BOTH (PROT_READ | PROT_WRITE)

static sigjmp_buf back;
static volatile int code;

static void on_fault(int signal, siginfo_t *info, void *context)
{
	(void)context;
	code = info->si_code;
	siglongjmp(back, signal);
}

/* Writes a byte. Returns 0, or 100 * the signal and its code. */
static long touched(volatile char *at)
{
	const int signal = sigsetjmp(back, 1);

	if (signal)
		return signal * 100 + code;
	*at = 'w';
	return 0;
}

static int file_new(const char *path, long size)
{
	const int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

	SHOW(ftruncate(file, size));
	SHOW(pwrite(file, "first", 5, 0));
	unlink(path);
	return file;
}

static void end_of_shared(void)
{
	const int file = file_new("/tmp/end", 100);
	char *at = mmap(NULL, 3 * PAGE, BOTH, MAP_SHARED, file, 0);

	SHOW(touched(at + PAGE - 1));
	SHOW(touched(at + PAGE));
	SHOW(touched(at + 3 * PAGE - 1));
	SHOW(pwrite(file, "x", 1, PAGE));
	SHOW(touched(at + PAGE + 1));
	SHOW(touched(at + 2 * PAGE));
	SHOW(ftruncate(file, 10));
	SHOW(touched(at));
	SHOW(touched(at + PAGE));
	SHOW(ftruncate(file, 3 * PAGE));
	SHOW(touched(at + 3 * PAGE - 1));
	SHOW(munmap(at, 3 * PAGE));
	SHOW(close(file));
}

/* Tests that a file keeps its content when parts of a mapping are unmapped, also twice. */
static void parts_of_shared(void)
{
	const int file = file_new("/tmp/parts", 3 * PAGE);
	char *at = mmap(NULL, 3 * PAGE, BOTH, MAP_SHARED, file, 0), byte = 0, *other;

	at[2 * PAGE] = 'x';
	SHOW(munmap(at + PAGE, PAGE));
	SHOW(munmap(at + 2 * PAGE, PAGE));
	SHOW(munmap(at + 2 * PAGE, PAGE));
	other = mmap(NULL, PAGE, BOTH, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(other, 'y', (size_t)PAGE);
	SHOW(munmap(other, PAGE));
	SHOW(at[0]);
	SHOW(munmap(at, 3 * PAGE));
	SHOW(pread(file, &byte, 1, 2 * PAGE));
	SHOW(byte);
	SHOW(close(file));
}

static void end_of_private(void)
{
	const int file = file_new("/tmp/end", PAGE + 1);
	char *at = mmap(NULL, 3 * PAGE, BOTH, MAP_PRIVATE, file, 0);
	const char *reads = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, file, 0);

	SHOW(touched(at + PAGE));
	SHOW(touched(at + 2 * PAGE));
	SHOW(mprotect(at, 3 * PAGE, PROT_READ));
	SHOW(touched(at));
	SHOW(mprotect(at, 3 * PAGE, BOTH));
	SHOW(touched(at));
	SHOW(touched(at + 2 * PAGE));
	SHOW(memcmp(reads, "first", 5));
	SHOW(touched((char *)reads));
	SHOW(munmap(at, 3 * PAGE));
	SHOW(munmap((void *)reads, PAGE));
	SHOW(close(file));
}

static void fixed(void)
{
	const int file = file_new("/tmp/fixed", PAGE + 1);
	char *at = mmap(NULL, 6 * PAGE, BOTH, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memset(at, 'a', (size_t)(6 * PAGE));
	SHOW(mmap(at + PAGE, 3 * PAGE, BOTH, MAP_PRIVATE | MAP_FIXED, file, 0) == at + PAGE);
	SHOW(memcmp(at + PAGE - 1, "afirst", 7));
	SHOW(touched(at + 3 * PAGE));
	SHOW(touched(at + 4 * PAGE));
	SHOW(mmap(at + 3 * PAGE, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
	     at + 3 * PAGE);
	SHOW(at[3 * PAGE]);
	SHOW(touched(at + 3 * PAGE));
	SHOW(munmap(at + 4 * PAGE, PAGE));
	SHOW(mmap(at + 4 * PAGE, PAGE, BOTH, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
	     at + 4 * PAGE);
	SHOW(touched(at + 4 * PAGE));
	SHOW(at[5 * PAGE]);
	errno = 0;
	SHOW((long)mmap(at + 1, PAGE, BOTH, MAP_PRIVATE | MAP_FIXED, file, 0));
	SHOW(munmap(at, 6 * PAGE));
	SHOW(close(file));
}

/* Tests that pages of a large mapping are unmapped twice, or replaced, without an effect on the others. */
static void mapping_parts(void)
{
	const int both = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS;
	const size_t size = 4 << 20, half = size / 2;
	char *memory = mmap(NULL, size, both, flags, -1, 0);

	memset(memory, 1, size);
	SHOW(munmap(memory, half));
	SHOW(mmap(memory, half, both, flags | MAP_FIXED, -1, 0) == memory);
	SHOW(memory[0] + memory[half - 1]);
	SHOW(munmap(memory, half));
	SHOW(munmap(memory, half));
	SHOW(memory[half] + memory[size - 1]);
	SHOW(munmap(memory, size));
}

void file_ends(void)
{
	const struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };

	sigaction(SIGBUS, &action, NULL);
	sigaction(SIGSEGV, &action, NULL);
	end_of_shared();
	parts_of_shared();
	end_of_private();
	fixed();
	mapping_parts();
	signal(SIGBUS, SIG_DFL);
	signal(SIGSEGV, SIG_DFL);
}
