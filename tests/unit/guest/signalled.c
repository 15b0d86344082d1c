// SPDX-License-Identifier: GPL-2.0
/*
 * Gets signals of all sorts and prints each with lib/guest, to the file of its argument. strace watches it. A signal that
 * the program does not handle, and so cannot print, is not sent.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <guest/format.h>

static FILE *out;
static volatile int handled;

static void handle(int number, siginfo_t *info, void *context)
{
	struct guest_signal signal = { (unsigned int)number, info->si_code, info->si_errno, { 0 } };
	struct guest_line line;
	char text[512];

	memcpy(signal.fields, (const char *)info + 16, sizeof(signal.fields));
	guest_line_signal(&line, text, sizeof(text), &signal);
	fprintf(out, "%s\n", text);
	handled++;
	if (info->si_code > 0 && number != SIGCHLD && number != SIGTRAP && number != SIGALRM)
		((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += number == SIGILL ? 2 : 3;
}

static void queue(int number, int code, int value)
{
	siginfo_t info = { .si_signo = number, .si_code = code };

	info.si_pid = getpid();
	info.si_uid = getuid();
	info.si_value.sival_int = value;
	syscall(129 /* rt_sigqueueinfo */, getpid(), number, &info);
}

static void touch(long address)
{
	__asm__ volatile("mov (%0), %%rax" : : "D"(address) : "rax", "memory");
}

static void raise_all(void)
{
	char *closed = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *beyond = mmap(NULL, 4096, PROT_READ, MAP_SHARED, memfd_create("short", 0), 0);

	__asm__ volatile("ud2");
	__asm__ volatile("int3");
	__asm__ volatile("idivq %0" : : "r"(0l), "a"(1l), "d"(0l) : "cc");
	touch(0);
	touch(0x123450);
	touch((long)closed);
	touch((long)beyond);
	touch((long)0x8000000000000000ul);
}

static void child(void (*ends)(void))
{
	const int before = handled;
	pid_t pid = fork();

	if (!pid) {
		signal(SIGTERM, SIG_DFL);
		ends();
		_exit(0);
	}
	while (handled == before)
		usleep(1000);
	waitpid(pid, NULL, 0);
}

static void end_by_exit(void)
{
	_exit(9);
}
static void end_by_signal(void)
{
	kill(getpid(), SIGTERM);
}

static void timers(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
				  .sigev_signo = SIGUSR2,
				  .sigev_value.sival_int = 12 };
	struct itimerspec time = { { 0, 0 }, { 0, 1000000 } };
	const int before = handled;
	timer_t timer;

	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &time, NULL);
	while (handled == before)
		;
	alarm(1);
	while (handled < before + 2)
		;
}

int main(int argc, char **argv)
{
	const struct sigaction action = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO };

	out = argc > 1 ? fopen(argv[1], "w") : NULL;
	if (!out)
		return 1;
	setvbuf(out, NULL, _IOLBF, 0);
	for (int number = 1; number <= 64; number++)
		sigaction(number, &action, NULL);
	for (int number = 1; number <= 64; number++)
		if (number != SIGKILL && number != SIGSTOP && number != 32 && number != 33)
			kill(getpid(), number);
	for (int number = SIGUSR1; number <= SIGUSR2; number++)
		raise(number);
	queue(SIGUSR1, SI_QUEUE, 5);
	queue(SIGRTMIN + 4, SI_QUEUE, -7);
	queue(SIGRTMAX, SI_QUEUE, 0);
	queue(SIGUSR1, SI_MESGQ, 6);
	queue(SIGSEGV, SI_ASYNCIO, 1);
	queue(SIGUSR1, -77, 1);
	raise_all();
	child(end_by_exit);
	child(end_by_signal);
	timers();
	return 0;
}
