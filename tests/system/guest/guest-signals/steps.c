// SPDX-License-Identifier: GPL-2.0
/*
 * Tests ptrace of a guest. System calls that are passed must cause the same stops as without Limpet, also with single
 * steps over them. Results follow the stops. Argument: the probe's mode, or 0: not a guest.
 */
#include "tests/system/lib/guest.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
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

/* Tests a tracer that changes a call and a result. */
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

/* Starts a process that preempts the other processes of its CPU every 100 us. */
static pid_t preempt_begin(void)
{
	const struct sched_param urgent = { .sched_priority = 1 };
	pid_t pid = fork();

	if (pid)
		return pid;
	if (sched_setscheduler(0, SCHED_FIFO, &urgent))
		_exit(1);
	for (;;)
		pause_us(100);
}

/* Makes calls whose results the executive replaces, and calls for which it makes other calls of Linux. */
static void make_replaced(void)
{
	const long group = raw(SYS_getpgid, 0, 0, 0);

	probe_mode(REPLACE);
	for (int i = 0; i < CALLS_MADE; i++)
		if (raw_getppid() != PROBE_VALUE)
			_exit(1);
	for (int i = 0; i < CALLS_MADE; i++)
		if (probe_chain(5, SYS_getpgid, 0) != 5 * group)
			_exit(2);
}

/* Continues the process by `request` after each stop, and checks that it ends without an error. */
static void replaced_follow(pid_t pid, enum __ptrace_request request)
{
	int status;

	while (!ptrace(request, pid, 0, 0) && waitpid(pid, &status, 0) == pid && WIFSTOPPED(status))
		;
	EQUAL(status, CHILD_GOOD << 8);
}

static void check_replaced(void)
{
	pid_t preempting = preempt_begin();

	section("results of traced calls come when Linux has carried the calls out");
	replaced_follow(traced_begin(make_replaced), PTRACE_SYSCALL);
	EQUAL(kill(preempting, SIGKILL), 0);
	KILLED(preempting, SIGKILL);
}

/* Sets a filter: getppid and getpgid stop for the tracer, but other calls, such as the unknown call 600, do not. */
static void filter_set(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpgid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(3);
}

static void make_filtered(void)
{
	filter_set();
	if (raw(600, 0, 0, 0) != -ENOSYS || raw_getppid() <= 0)
		_exit(4);
	make_replaced();
}

/* Tests that with PTRACE_SYSCALL a call stops twice before Linux executes it. */
static void check_filtered(enum __ptrace_request request)
{
	pid_t pid = traced_begin(make_filtered);

	section(request == PTRACE_CONT ? "results of calls at which a filter stops a guest"
				       : "results of calls that stop a guest twice");
	EQUAL(ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESECCOMP | PTRACE_O_EXITKILL), 0);
	replaced_follow(pid, request);
}

static void execute(void)
{
	execl("/proc/self/exe", "steps", "executed", NULL);
	_exit(5);
}

/* A successful execve has no result. */
static void check_executed(void)
{
	pid_t pid;

	section("a program that is traced, or has a filter, executes another");
	replaced_follow(traced_begin(execute), PTRACE_SYSCALL);
	pid = fork();
	if (!pid) {
		filter_set();
		execute();
	}
	GOOD(pid);
}

int main(int argc, char **argv)
{
	const long mode = argc > 1 ? atol(argv[1]) : 0;

	if (argc > 1 && !strcmp(argv[1], "executed"))
		return CHILD_GOOD;
	if (mode)
		probe_mode(mode);
	check_calls();
	check_changed();
	check_steps();
	check_executed();
	if (mode) {
		check_replaced();
		check_filtered(PTRACE_CONT);
		check_filtered(PTRACE_SYSCALL);
		probe_check();
	}
	return sections_finish();
}
