// SPDX-License-Identifier: GPL-2.0
/*
 * Checks that bad ranges of pages, parts of ranges and writes to read-only ranges are refused, and
 * that processes that are not guests get SIGBUS. With argument alone, only this process is a guest,
 * and its child is not.
 */
#include "tests/system/lib/guest.h"

#include <sys/ptrace.h>
#include <sys/user.h>

#define PAGE 4096l
#define PAGES 16

static uint8_t *place(void)
{
	uint8_t *at = mmap(NULL, PAGES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(at, PAGES * PAGE);
	return at;
}

static uint8_t *range(long writable)
{
	uint8_t *at = place();

	EQUAL(probe_map(at, PAGES * PAGE, writable), LIMPET_OK);
	return at;
}

static void check_map(void)
{
	uint8_t *at = place();

	section("bad ranges");
	EQUAL(probe_map(at + 1, PAGE, 1), LIMPET_ERANGE);
	EQUAL(probe_map(at, PAGE + 1, 1), LIMPET_ERANGE);
	EQUAL(probe_map(at, 0, 1), LIMPET_ERANGE);
	EQUAL(probe_map(at, PAGE, 2), LIMPET_ERANGE);
	EQUAL(probe_map(NULL, PAGE, 1), LIMPET_ERANGE);
	EQUAL(probe_map((void *)(1ul << 47), PAGE, 1), LIMPET_ERANGE);
	EQUAL(probe_map((void *)-PAGE, PAGE, 1), LIMPET_ERANGE);
	EQUAL(probe_map(at, -PAGE, 1), LIMPET_ERANGE);
	EQUAL(probe_map(at, 1l << 62, 1), LIMPET_ERANGE);
	EQUAL(probe_revoke(at + 1, PAGE), LIMPET_ERANGE);
	EQUAL(probe_revoke(at, 0), LIMPET_ERANGE);
	EQUAL(probe_revoke((void *)-PAGE, PAGE), LIMPET_ERANGE);
	section("where something is mapped");
	EQUAL(probe_map((void *)((uintptr_t)check_map & ~(uintptr_t)(PAGE - 1)), PAGE, 1),
	      LIMPET_EFULL);
	EQUAL(probe_map(at, PAGES * PAGE, 1), LIMPET_OK);
	EQUAL(probe_map(at, PAGE, 1), LIMPET_EFULL);
	EQUAL(probe_map(at + PAGE, PAGE, 0), LIMPET_EFULL);
	EQUAL(munmap(at, PAGES * PAGE), 0);
	EQUAL(probe_map(at, PAGE, 1), LIMPET_OK);
	EQUAL(munmap(at, PAGE), 0);
}

static void check_parts(void)
{
	uint8_t *at = range(1), *moved;
	void *other = place();

	section("munmap, mprotect and mremap of parts");
	*at = 1;
	EQUAL(munmap(at, PAGE), -1);
	EQUAL(munmap(at + PAGE, PAGE), -1);
	EQUAL(munmap(at + (PAGES - 1) * PAGE, PAGE), -1);
	EQUAL(mprotect(at, PAGE, PROT_READ), -1);
	moved = mremap(at, PAGES * PAGE, PAGES * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, other);
	EXPECT(moved == MAP_FAILED);
	moved = mremap(at, PAGES * PAGE, 2 * PAGES * PAGE, MREMAP_MAYMOVE);
	EXPECT(moved == MAP_FAILED);
	moved = mremap(at, 0, PAGES * PAGE, MREMAP_MAYMOVE);
	EXPECT(moved == MAP_FAILED);
	section("the range is as before");
	*at = 2;
	EQUAL(*(volatile long *)(at + PAGE), ((uintptr_t)at / PAGE + 1) % 64);
	section("execution is refused");
	EQUAL(mprotect(at, PAGES * PAGE, PROT_READ | PROT_EXEC), -1);
	EQUAL(munmap(at, PAGES * PAGE), 0);
	section("a range that is read-only stays so");
	at = range(0);
	EQUAL(mprotect(at, PAGES * PAGE, PROT_READ | PROT_WRITE), -1);
	pid_t pid = fork();

	if (!pid)
		*(volatile uint8_t *)at = 1;
	KILLED(pid, SIGSEGV);
	EQUAL(probe_write(at, 1), LIMPET_EFAULT);
	EQUAL(munmap(at, PAGES * PAGE), 0);
}

/* A page of the executive at another offset would remain mapped when the system ends. */
static void check_offset(void)
{
	uint8_t *at = range(1);

	section("another offset of the range");
	*at = 1;
	EQUAL(raw6(SYS_remap_file_pages, (long)at, PAGES * PAGE, 0,
		   (long)((2ul << 40) + (uintptr_t)at / PAGE), 0, 0),
	      -EPERM);
	EQUAL(munmap(at, PAGES * PAGE), 0);
}

static void touch(volatile uint8_t *at)
{
	(void)*at;
}

static void check_others(bool alone)
{
	uint8_t *at = range(1);
	pid_t pid;
	int ends[2];

	section("a process that is no guest gets SIGBUS, and EFAULT from calls");
	EXPECT(!pipe(ends));
	pid = fork();
	if (!pid) {
		if (!alone) {
			probe_mode(RELEASE);
			raw_getppid();
		}
		EQUAL(write(ends[1], at, 8), -1);
		EQUAL(errno, EFAULT);
		if (section_failures)
			child_exit();
		touch(at);
		_exit(1);
	}
	KILLED(pid, SIGBUS);
	touch(at);
	EQUAL(write(ends[1], at, 8), 8);
	EQUAL(munmap(at, PAGES * PAGE), 0);
}

/* A debugger can be refused access to such pages, but must not have another effect. */
static void check_tracer(void)
{
	uint8_t *at = range(1), bytes[64];
	char path[40];
	int status, memory;
	pid_t pid;

	section("a tracer reads and writes them, or is refused");
	*at = 9;
	pid = fork();
	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		touch(at + 5 * PAGE);
		touch(at);
		_exit(CHILD_GOOD);
	}
	EQUAL(waitpid(pid, &status, 0), pid);
	for (int i = 0; i < 8; i++) {
		errno = 0;
		if (ptrace(PTRACE_PEEKDATA, pid, at + i * PAGE, 0) == -1)
			EXPECT(!errno || errno == EIO || errno == EFAULT);
		errno = 0;
		if (ptrace(PTRACE_POKEDATA, pid, at + i * PAGE + 512, 77))
			EXPECT(errno == EIO || errno == EFAULT);
	}
	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	memory = open(path, O_RDWR);
	EXPECT(memory >= 0);
	for (int i = 0; i < 8; i++) {
		const ssize_t got = pread(memory, bytes, 64, (off_t)(uintptr_t)(at + i * PAGE));

		EXPECT(got == 64 || (got < 0 && (errno == EIO || errno == EFAULT)));
	}
	close(memory);
	ptrace(PTRACE_DETACH, pid, 0, 0);
	GOOD(pid);
	EQUAL(munmap(at, PAGES * PAGE), 0);
}

int main(int argc, char **argv)
{
	const bool alone = argc > 1 && !strcmp(argv[1], "alone");

	if (!alone) {
		check_map();
		check_parts();
		check_offset();
		check_tracer();
	}
	check_others(alone);
	probe_check();
	return sections_finish();
}
