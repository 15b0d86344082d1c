// SPDX-License-Identifier: GPL-2.0
/*
 * Tests a tracer that sets hardware breakpoints of a guest to addresses that the executive
 * executes, reads and writes, too. They do not fire in the executive, and its answers do not
 * change. Argument: distance between addresses in its text.
 */
#include "tests/system/lib/guest.h"

#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/user.h>

/*
 * Addresses at which the composer places the executive of guest-probe: text, then data and stacks.
 */
#define EXECUTIVE 0x10c0000000ul
#define TEXT 0x3000ul
#define DATA 0x60000ul

static void __attribute__((noreturn)) traced(void)
{
	ptrace(PTRACE_TRACEME, 0, 0, 0);
	for (;;) {
		long result;

		__asm__ volatile("int3" ::: "memory");
		result = raw_getppid();
		if (result != PROBE_VALUE)
			_exit(1);
	}
}

static long debug_set(pid_t pid, int number, uint64_t value)
{
	return ptrace(PTRACE_POKEUSER, pid, offsetof(struct user, u_debugreg) + (size_t)number * 8,
		      value);
}

/*
 * Makes one call with four breakpoints. kind: 0 execution, 1 write, 3 access; eight bytes for data.
 */
static bool one(pid_t pid, uint64_t address, uint64_t step, unsigned int kind)
{
	uint64_t control = 0;
	siginfo_t info;
	int status;

	debug_set(pid, 7, 0);
	for (int i = 0; i < 4; i++) {
		if (debug_set(pid, i, address + (uint64_t)i * step))
			return false;
		control |= 1ull << (2 * i) | (uint64_t)(kind | (kind ? 8 : 0)) << (16 + 4 * i);
	}
	if (debug_set(pid, 7, control))
		return false;
	ptrace(PTRACE_CONT, pid, 0, 0);
	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP)
		return false;
	return !ptrace(PTRACE_GETSIGINFO, pid, 0, &info) && info.si_code == SI_KERNEL; /* INT3 */
}

int main(int argc, char **argv)
{
	const uint64_t step = argc > 1 ? strtoul(argv[1], NULL, 0) : 8;
	pid_t pid = fork();
	int status;

	if (!pid)
		traced();
	section("the tracee begins");
	EQUAL(waitpid(pid, &status, 0), pid);
	EXPECT(WIFSTOPPED(status));
	section("execution of the executive's text");
	for (uint64_t at = 0; at < TEXT; at += 4 * step)
		if (!one(pid, EXECUTIVE + at, step, 0)) {
			failed("at 0x%lx", EXECUTIVE + at);
			break;
		}
	section("writes and reads of the executive's memory");
	for (uint64_t at = 0; at < DATA; at += 4 * step * 32)
		if (!one(pid, EXECUTIVE + at, step * 32, 1) ||
		    !one(pid, EXECUTIVE + at, step * 32, 3)) {
			failed("at 0x%lx", EXECUTIVE + at);
			break;
		}
	section("the guest goes on without them");
	debug_set(pid, 7, 0);
	ptrace(PTRACE_DETACH, pid, 0, 0);
	KILLED(pid, SIGTRAP);
	probe_check();
	return sections_finish();
}
