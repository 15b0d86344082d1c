// SPDX-License-Identifier: GPL-2.0
/* Makes calls about processes and memory, and calls with odd numbers or arguments. */
#define _GNU_SOURCE
#include <asm/prctl.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "traced.h"

/* Ends the child, whose log is not read. */
static void child_exit(long pid, int status)
{
	if (!pid)
		_exit(status);
}

static void trace_children(void)
{
	struct clone_args arguments = { .flags = CLONE_FS, .exit_signal = SIGCHLD };
	struct rusage usage;
	int status, ended;
	long pid;

	pid = CALL(fork);
	child_exit(pid, 3);
	CALL(wait4, pid, &status, 0, NULL);
	pid = CALL(clone, SIGCHLD, 0, 0, 0, 0);
	if (!pid)
		for (;;)
			pause();
	CALL(wait4, pid, &status, WNOHANG, &usage);
	CALL(kill, pid, SIGKILL);
	CALL(wait4, pid, &status, __WALL, NULL);
	pid = CALL(clone, CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD, 0, 0, &ended, 0);
	child_exit(pid, 0);
	CALL(wait4, pid, NULL, 0, NULL);
	CALL(clone3, &arguments, 63);
	pid = CALL(clone3, &arguments, 64);
	child_exit(pid, 0);
	CALL(wait4, pid, NULL, 0, NULL);
	arguments.flags |= CLONE_PIDFD | CLONE_PARENT_SETTID;
	arguments.parent_tid = (uintptr_t)&ended;
	CALL(clone3, &arguments, sizeof(arguments));
	arguments.pidfd = (uintptr_t)&status;
	pid = CALL(clone3, &arguments, sizeof(arguments));
	child_exit(pid, 0);
	CALL(wait4, -1, &status, WUNTRACED | WCONTINUED, &usage);
	CALL(wait4, -1, &status, 0, NULL);
	CALL(waitid, P_PID, pid, NULL, WEXITED | WNOWAIT, NULL);
}

static void trace_limits(void)
{
	struct rlimit limit;
	struct rusage usage;
	struct sysinfo info;
	struct utsname name;

	CALL(getrlimit, RLIMIT_NOFILE, &limit);
	CALL(setrlimit, RLIMIT_NOFILE, &limit);
	CALL(getrlimit, RLIMIT_CPU, &limit);
	CALL(prlimit64, 0, RLIMIT_STACK, NULL, &limit);
	CALL(prlimit64, 0, 99, &limit, NULL);
	CALL(getrusage, RUSAGE_SELF, &usage);
	CALL(getrusage, RUSAGE_CHILDREN, 16);
	CALL(uname, &name);
	CALL(sysinfo, &info);
}

static void trace_ids(void)
{
	unsigned int a, b, c, groups[40] = { 1, 2, 3 };

	CALL(getuid);
	CALL(getpid);
	CALL(gettid);
	CALL(getpgid, 0);
	CALL(getsid, 0);
	CALL(setresuid, -1, -1, -1);
	CALL(getresuid, &a, &b, &c);
	CALL(getresgid, &a, &b, 8);
	CALL(getgroups, 0, NULL);
	CALL(getgroups, 40, groups);
	CALL(getpriority, PRIO_PROCESS, 0);
	CALL(getcpu, &a, NULL, NULL);
	CALL(setpgid, -1, 0);
}

static void trace_scheduling(void)
{
	struct sched_param param = { 0 };
	char set[128];

	CALL(sched_yield);
	CALL(sched_setscheduler, 0, SCHED_OTHER, &param);
	CALL(sched_setscheduler, -1, SCHED_FIFO, &param);
	CALL(sched_getscheduler, 0);
	CALL(sched_getparam, 0, &param);
	CALL(sched_getaffinity, 0, sizeof(set), set);
	CALL(sched_setaffinity, -1, 8, set);
	CALL(sched_get_priority_max, SCHED_RR);
}

static void trace_futex(void)
{
	struct timespec time = { 0, 1000 };
	int futex = 0;

	CALL(futex, &futex, FUTEX_WAIT_PRIVATE, 1, &time);
	CALL(futex, &futex, FUTEX_WAIT, 0, &time);
	CALL(futex, &futex, FUTEX_WAKE_PRIVATE, 1);
	CALL(futex, &futex, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 1, NULL, 0, -1);
	CALL(futex, &futex, FUTEX_WAKE_BITSET_PRIVATE, 1, NULL, NULL, 5);
	CALL(futex, &futex, FUTEX_REQUEUE, 1, 2, &futex);
	CALL(futex, &futex, FUTEX_CMP_REQUEUE_PRIVATE, 1, 2, &futex, 1);
	CALL(futex, &futex, FUTEX_UNLOCK_PI);
}

void trace_processes(void)
{
	unsigned long base;

	trace_children();
	trace_limits();
	trace_ids();
	trace_scheduling();
	trace_futex();
	CALL(prctl, PR_SET_NAME, "some-name");
	CALL(prctl, PR_SET_NAME, "0123456789abcdefghi");
	CALL(prctl, PR_SET_PDEATHSIG, SIGHUP);
	CALL(arch_prctl, ARCH_GET_FS, &base);
	CALL(arch_prctl, ARCH_SET_GS, 0x1000);
	CALL(membarrier, 1 << 3, 0, 0);
	CALL(set_tid_address, &base);
	CALL(unshare, 0x80000000);
	CALL(setns, -1, CLONE_NEWNET | CLONE_NEWUTS);
}

void trace_memory(void)
{
	long at = CALL(mmap, 0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CALL(mprotect, at, 4096, PROT_NONE);
	CALL(mprotect, at, 4096, PROT_READ | PROT_EXEC);
	CALL(madvise, at, 4096, MADV_DONTNEED);
	CALL(madvise, at, 4096, 7777);
	at = CALL(mmap, NULL, 16384, PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
		  0);
	at = CALL(mremap, at, 16384, 32768, MREMAP_MAYMOVE);
	CALL(mremap, 0, 0, 0, MREMAP_FIXED | MREMAP_MAYMOVE, 0x5000);
	CALL(mmap, 0x10001, 4096, PROT_READ, MAP_SHARED | MAP_FIXED | MAP_POPULATE | MAP_STACK,
	     1000, 0x3000);
	CALL(msync, at, 4096, MS_SYNC);
	CALL(mlock, at, 4096);
	CALL(munlock, at, 4096);
	CALL(mincore, at + 1, 4096, 0);
	CALL(munmap, at, 32768);
	CALL(brk, 0);
}

/* Uses text that ends where memory ends, and text that does not end. */
static void trace_borders(void)
{
	long pages =
		CALL(mmap, 0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *end = (char *)pages + 4096;
	char *words[] = { "ls", "-l", "0123456789012345678901234567890123456789", NULL };
	char *many[40];

	CALL(munmap, end, 4096);
	for (int i = 0; i < 40; i++)
		many[i] = i < 32 ? "x" : NULL;
	end[-4] = '/';
	end[-3] = 'n';
	CALL(chdir, end - 4);
	end[-1] = end[-2] = 'x';
	CALL(chdir, end - 4);
	CALL(execve, "/nonexistent", words, words + 1);
	CALL(execve, "/nonexistent", many, words + 3);
	many[32] = "y";
	CALL(execve, "/nonexistent", many, 16);
	CALL(execve, "/nonexistent", 16, NULL);
	*(char **)(end - 8) = "x";
	CALL(execve, "/nonexistent", end - 8, end - 8);
	CALL(write, 1000, end - 4, 5);
	CALL(rt_sigprocmask, SIG_BLOCK, end - 4, NULL, 8);
	CALL(munmap, pages, 4096);
}

void trace_odd(void)
{
	trace_borders();
	CALL(close, 0x100000001);
	traced(999, 1, 2, 3, 4, 5, 6);
	traced(-1, 0, 0, 0, 0, 0, 6);
	CALL(reboot, 1, 2, 3, 4);
}
