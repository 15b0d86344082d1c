// SPDX-License-Identifier: GPL-2.0
/*
 * Repeatedly traces the host thread of a process: stops it, reads its registers, single-steps it, follows its system
 * calls, and continues it.
 *
 *   tracer PID ROUNDS SEED
 */
#include "../../lib/device.h"

#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>

#define STEPS 120 /* exceeds the instructions between two calls of LIMPET_IOC_LEND */
#define INSTRUCTION_SYSCALL 0x050f

/* Returns the id of the SCHED_FIFO thread. */
static pid_t host_thread(const char *pid)
{
	char path[64];
	struct dirent *entry;
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%s/task", pid);
	folder = opendir(path);
	while (folder && (entry = readdir(folder)))
		if (atoi(entry->d_name) && sched_getscheduler(atoi(entry->d_name)) == SCHED_FIFO)
			return atoi(entry->d_name);
	die("process %s has no host thread", pid);
}

static void wait_stop(pid_t tid, const char *what)
{
	int status;

	if (waitpid(tid, &status, __WALL) != tid || !WIFSTOPPED(status))
		die("%s: the host thread did not stop, status %x", what, status);
}

static void request(long what, pid_t tid, void *data, const char *name)
{
	if (ptrace(what, tid, NULL, data))
		die("%s: %s", name, strerror(errno));
}

/* Checks that the tracer sees only user registers of a Linux thread. */
static void look(pid_t tid)
{
	struct user_regs_struct regs;

	request(PTRACE_GETREGS, tid, &regs, "PTRACE_GETREGS");
	if (regs.cs != 0x33 || regs.ss != 0x2b)
		die("segments are %llx %llx", regs.cs, regs.ss);
	errno = 0;
	ptrace(PTRACE_PEEKTEXT, tid, (void *)regs.rip, NULL);
	if (errno)
		die("rip %llx is no address of the host process", regs.rip);
	ptrace(PTRACE_PEEKDATA, tid, (void *)regs.rsp, NULL);
	if (errno)
		die("rsp %llx is no address of the host process", regs.rsp);
}

/*
 * Single-steps the thread. Each step ends after one instruction, or at the return from the kernel. Returns the number
 * of system calls.
 */
static unsigned long steps_run(pid_t tid)
{
	struct user_regs_struct regs;
	unsigned long calls = 0;

	for (int i = 0; i < STEPS; i++) {
		request(PTRACE_SINGLESTEP, tid, NULL, "PTRACE_SINGLESTEP");
		wait_stop(tid, "step");
		look(tid);
		request(PTRACE_GETREGS, tid, &regs, "PTRACE_GETREGS");
		calls += (ptrace(PTRACE_PEEKTEXT, tid, (void *)(regs.rip - 2), NULL) & 0xffff) ==
			 INSTRUCTION_SYSCALL;
	}
	return calls;
}

static void follow(pid_t tid)
{
	struct user_regs_struct regs;

	for (int i = 0; i < 10; i++) {
		request(PTRACE_SYSCALL, tid, NULL, "PTRACE_SYSCALL");
		wait_stop(tid, "system call");
		request(PTRACE_GETREGS, tid, &regs, "PTRACE_GETREGS");
		if (regs.orig_rax != SYS_ioctl)
			die("system call %lld reached Linux", (long long)regs.orig_rax);
	}
}

int main(int argc, char **argv)
{
	pid_t tid = host_thread(argc > 3 ? argv[1] : "0");
	unsigned long rounds = strtoul(argv[2], NULL, 0);
	uint64_t seed = strtoul(argv[3], NULL, 0);
	unsigned long calls = 0;

	for (unsigned long i = 0; i < rounds; i++) {
		request(PTRACE_SEIZE, tid, NULL, "PTRACE_SEIZE");
		pause_us((long)(random_next(&seed) % 3000));
		request(PTRACE_INTERRUPT, tid, NULL, "PTRACE_INTERRUPT");
		wait_stop(tid, "interrupt");
		look(tid);
		if (i % 4 == 1)
			calls += steps_run(tid);
		if (i % 4 == 3)
			follow(tid);
		request(PTRACE_DETACH, tid, NULL, "PTRACE_DETACH");
		pause_us((long)(random_next(&seed) % 3000));
	}
	printf("%lu\n", calls);
	return 0;
}
