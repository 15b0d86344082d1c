// SPDX-License-Identifier: GPL-2.0
/* A handler of SIGSYS in the measured process itself answers: Syscall User Dispatch, and seccomp's trap. */
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "calls.h"
#include "filter.h"

#define SA_RESTORER 0x04000000 /* musl's headers lack it */

/* The kernel's struct sigaction. */
struct kernel_action {
	void (*handler)(int, siginfo_t *, void *);
	unsigned long flags;
	void (*restorer)(void);
	unsigned long mask;
};

static volatile unsigned long seen;
static volatile char selector = SYSCALL_DISPATCH_FILTER_ALLOW;

/* The handler's return. Only this call is exempt from dispatch, so the handler leaves the selector unchanged. */
void dispatch_return(void);
extern const char dispatch_return_end[];
__asm__(".text\ndispatch_return: mov $15, %eax\nsyscall\nud2\ndispatch_return_end:\n");

/* Answers getppid(). It does not answer another call, so the measured process sees a wrong result or count. */
static void answer(int number, siginfo_t *info, void *context)
{
	ucontext_t *state = context;

	(void)number;
	if (info->si_syscall != SYS_getppid)
		return;
	state->uc_mcontext.gregs[REG_RAX] = CALLS_ANSWER;
	seen++;
}

static void handler_install(void)
{
	struct kernel_action action = { answer, SA_SIGINFO | SA_RESTORER, dispatch_return, 0 };

	if (syscall(SYS_rt_sigaction, SIGSYS, &action, NULL, sizeof(action.mask)))
		figure_die("rt_sigaction");
}

static void seen_check(const struct calls *calls)
{
	if (seen != calls->count + CALLS_WARM_UP)
		calls_wrong(calls, "calls that the handler saw", (long)seen);
}

static void dispatch_begin(void)
{
	selector = SYSCALL_DISPATCH_FILTER_BLOCK;
}

static void dispatch_end(void)
{
	selector = SYSCALL_DISPATCH_FILTER_ALLOW;
}

void calls_dispatch(struct calls *calls)
{
	unsigned long start = (unsigned long)dispatch_return;

	handler_install();
	if (prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, start,
		  (unsigned long)dispatch_return_end - start, &selector))
		figure_die("PR_SET_SYSCALL_USER_DISPATCH");
	calls->begin = dispatch_begin;
	calls->end = dispatch_end;
	calls_make(calls);
	seen_check(calls);
}

void calls_trap(struct calls *calls)
{
	handler_install();
	filter_install(SECCOMP_RET_TRAP, 0);
	calls_make(calls);
	seen_check(calls);
}
