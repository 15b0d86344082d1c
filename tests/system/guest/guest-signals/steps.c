// SPDX-License-Identifier: GPL-2.0
/*
 * ptrace of a guest: its system calls that are passed give the stops that they give without Limpet, and single steps over
 * them, too. Argument: the probe's mode, or 0: not a guest.
 */
#include "tests/system/lib/guest.h"

#include <sys/ptrace.h>
#include <sys/user.h>

#define CALLS_MADE 50

static pid_t traced_begin(void (*body)(void))
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		body();
		_exit(CHILD_GOOD);
	}
	EQUAL(waitpid(pid, &status, 0), pid);
	EXPECT(WIFSTOPPED(status));
	ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
	return pid;
}

static void make_calls(void)
{
	for (int i = 0; i < CALLS_MADE; i++)
		if (raw(SYS_getpgid, 0, 2, 3) <= 0)
			_exit(1);
}

static void check_calls(void)
{
	long entries = 0, exits = 0, wrong = 0;
	pid_t pid = traced_begin(make_calls);
	int status;

	section("two stops for each call, with its number, arguments and result");
	while (!ptrace(PTRACE_SYSCALL, pid, 0, 0) && waitpid(pid, &status, 0) == pid &&
	       WIFSTOPPED(status)) {
		struct user_regs_struct regs;

		if (WSTOPSIG(status) != (SIGTRAP | 0x80) || ptrace(PTRACE_GETREGS, pid, 0, &regs))
			continue;
		if (regs.orig_rax != SYS_getpgid)
			continue;
		wrong += regs.rdi || regs.rsi != 2 || regs.rdx != 3;
		if ((long)regs.rax == -ENOSYS)
			entries++;
		else
			exits++;
	}
	EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == CHILD_GOOD);
	EQUAL(entries, CALLS_MADE);
	EQUAL(exits, CALLS_MADE);
	EQUAL(wrong, 0);
}

/* The tracer changes a call, and a result. */
static void make_changed(void)
{
	if (raw(SYS_getpgid, 0, 0, 0) != 4711)
		_exit(1);
	if (raw(SYS_getpgid, 0, 0, 0) != -ENOSYS)
		_exit(2);
}

static void check_changed(void)
{
	struct user_regs_struct regs;
	pid_t pid = traced_begin(make_changed);
	int status;

	section("a tracer changes a result, and skips a call");
	for (int stop = 0; stop < 4; stop++) {
		do {
			ptrace(PTRACE_SYSCALL, pid, 0, 0);
			EQUAL(waitpid(pid, &status, 0), pid);
			EQUAL(ptrace(PTRACE_GETREGS, pid, 0, &regs), 0);
		} while (WIFSTOPPED(status) && regs.orig_rax != SYS_getpgid &&
			 (long)regs.orig_rax != -1);
		if (stop == 1)
			regs.rax = 4711;
		if (stop == 2)
			regs.orig_rax = -1ul;
		ptrace(PTRACE_SETREGS, pid, 0, &regs);
	}
	ptrace(PTRACE_CONT, pid, 0, 0);
	GOOD(pid);
}

void step_calls(void);
extern char step_begin[], step_end[];
__asm__(".text\n"
	"step_calls:\n"
	"step_begin:\n"
	"	mov $20, %r8d\n"
	"1:	mov $121, %eax; xor %edi, %edi\n"
	"	syscall\n"
	"	nop\n"
	"	dec %r8d; jnz 1b\n"
	"step_end:\n"
	"	ret\n");

static void check_steps(void)
{
	long at[64] = { 0 }, steps = 0;
	pid_t pid = traced_begin(step_calls);
	int status;

	section("single steps stop after each instruction once");
	while (!ptrace(PTRACE_SINGLESTEP, pid, 0, 0) && waitpid(pid, &status, 0) == pid &&
	       WIFSTOPPED(status)) {
		struct user_regs_struct regs;

		ptrace(PTRACE_GETREGS, pid, 0, &regs);
		if (regs.rip >= (uintptr_t)step_begin && regs.rip < (uintptr_t)step_end) {
			at[regs.rip - (uintptr_t)step_begin]++;
			steps++;
			EQUAL(WSTOPSIG(status), SIGTRAP);
		}
	}
	EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == CHILD_GOOD);
	EQUAL(at[0], 1);   /* mov */
	EQUAL(at[6], 20);  /* mov */
	EQUAL(at[11], 20); /* xor */
	EQUAL(at[13], 20); /* syscall */
	EQUAL(at[15], 20); /* nop */
	EQUAL(at[16], 20); /* dec */
	EQUAL(at[19], 20); /* jnz */
	EQUAL(steps, 121);
}

int main(int argc, char **argv)
{
	const long mode = argc > 1 ? atol(argv[1]) : 0;

	if (mode)
		probe_mode(mode);
	check_calls();
	check_changed();
	check_steps();
	if (mode) {
		probe_check();
	}
	return sections_finish();
}
