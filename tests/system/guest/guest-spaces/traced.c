// SPDX-License-Identifier: GPL-2.0
/* Runs a command, and all processes that it creates, under a tracer that stops each of their system calls twice. */
#include <signal.h>
#include <stdbool.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define OPTIONS                                                                                    \
	(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |  \
	 PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL)

/* Returns the signal with which a stopped thread continues. */
static int signal_of(int status)
{
	const int signal = WSTOPSIG(status);

	if (signal & 0x80 || status >> 16 || signal == SIGSTOP)
		return 0;
	return signal;
}

int main(int argc, char **argv)
{
	int status, result = 99;
	pid_t first = fork(), pid;

	if (argc < 2 || first < 0)
		return 2;
	if (!first) {
		if (ptrace(PTRACE_TRACEME, 0, 0, 0) || raise(SIGSTOP))
			_exit(98);
		execv(argv[1], argv + 1);
		_exit(97);
	}
	if (waitpid(first, &status, 0) != first || ptrace(PTRACE_SETOPTIONS, first, 0, OPTIONS))
		return 96;
	ptrace(PTRACE_SYSCALL, first, 0, 0);
	while ((pid = waitpid(-1, &status, __WALL)) > 0)
		if (WIFSTOPPED(status))
			ptrace(PTRACE_SYSCALL, pid, 0, signal_of(status));
		else if (pid == first)
			result = WIFEXITED(status) ? WEXITSTATUS(status) : 95;
	return result;
}
