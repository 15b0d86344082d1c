// SPDX-License-Identifier: GPL-2.0
/* A tracer on the same CPU: PTRACE_SYSEMU answers in the call's place, PTRACE_SYSCALL stops before and after it. */
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/reg.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calls.h"

#define STOP_OF_CALL (SIGTRAP | 0x80) /* PTRACE_O_TRACESYSGOOD */

/* Stops with a single call, because the tracer counts all others. raise() would make more. */
static void tracee_begin(void)
{
	kill(getpid(), SIGSTOP);
}

static void stop_await(const struct calls *calls, pid_t child, int signal)
{
	int status;

	if (waitpid(child, &status, 0) != child)
		figure_die("waitpid");
	if (!WIFSTOPPED(status) || WSTOPSIG(status) != signal)
		calls_wrong(calls, "the child did not stop; its status", status);
}

/* Lets the child run to the next stop of a call, which must be getppid(). */
static void call_await(const struct calls *calls, pid_t child, int request)
{
	long number;

	if (ptrace(request, child, NULL, NULL))
		figure_die("ptrace");
	stop_await(calls, child, STOP_OF_CALL);
	number = ptrace(PTRACE_PEEKUSER, child, sizeof(long) * ORIG_RAX, NULL);
	if (number != SYS_getppid)
		calls_wrong(calls, "a stop of another call", number);
}

static void one_call(const struct calls *calls, pid_t child)
{
	if (!calls->served) {
		call_await(calls, child, PTRACE_SYSCALL);
		call_await(calls, child, PTRACE_SYSCALL);
		return;
	}
	call_await(calls, child, PTRACE_SYSEMU);
	if (ptrace(PTRACE_POKEUSER, child, sizeof(long) * RAX, CALLS_ANSWER))
		figure_die("PTRACE_POKEUSER");
}

static void tracee_run(struct calls *calls)
{
	calls->begin = tracee_begin;
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		figure_die("PTRACE_TRACEME");
	calls_make(calls);
	exit(0);
}

void calls_trace(struct calls *calls)
{
	pid_t child = fork();

	if (child < 0)
		figure_die("fork");
	if (!child)
		tracee_run(calls);
	stop_await(calls, child, SIGSTOP);
	if (ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL))
		figure_die("PTRACE_SETOPTIONS");
	for (unsigned long i = 0; i < calls->count + CALLS_WARM_UP; i++)
		one_call(calls, child);
	if (ptrace(PTRACE_DETACH, child, NULL, NULL))
		figure_die("PTRACE_DETACH");
	calls_wait(calls, child);
}
