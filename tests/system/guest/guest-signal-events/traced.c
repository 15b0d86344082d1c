// SPDX-License-Identifier: GPL-2.0
/* Makes signals and calls in a fixed order, for a comparison with strace. Ends by SIGSEGV. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

static volatile int handled;

static void handle(int signal, siginfo_t *info, void *context)
{
	(void)info;
	getppid();
	handled++;
	if (signal == SIGILL)
		((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 2;
}

int main(void)
{
	static const int handle_these[] = { SIGUSR1, SIGUSR2, SIGALRM, SIGILL, SIGCHLD };
	struct itimerval once = { { 0, 0 }, { 0, 30000 } };
	sigset_t all, old;
	int ends[2];
	static char byte; /* static, so that its address is always the same */

	for (unsigned int i = 0; i < sizeof(handle_these) / sizeof(*handle_these); i++)
		sigaction(handle_these[i],
			  &(struct sigaction){ .sa_sigaction = handle, .sa_flags = SA_SIGINFO },
			  NULL);
	kill(getpid(), SIGUSR1);
	__asm__ volatile("ud2");
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	sigqueue(getpid(), SIGUSR2, (union sigval){ .sival_int = 8 });
	kill(getpid(), SIGUSR1);
	sigprocmask(SIG_SETMASK, &old, NULL);
	setitimer(ITIMER_REAL, &once, NULL);
	if (!pipe(ends))
		handled += read(ends[0], &byte, 1) == 1;
	sigprocmask(SIG_SETMASK, &all, &old);
	if (!fork())
		_exit(3);
	sigsuspend(&old);
	*(volatile int *)0x123450 = 1;
	return 0;
}
