// SPDX-License-Identifier: GPL-2.0
/*
 * Tests the times, registers and events of calls that signals interrupt: read, nanosleep, poll and sigsuspend, with
 * and without SA_RESTART, and after SIGSTOP and SIGCONT. They must be the same as without Limpet. restarts_*.c test
 * the results of all calls that signals interrupt. Argument: the probe's mode, or `plain` for a process that is not a
 * guest.
 */
#include "tests/system/lib/guest.h"

#include <poll.h>
#include <sys/time.h>

static volatile sig_atomic_t hits;
static volatile sig_atomic_t last; /* at this hit the timer stops, and the writer writes */
static volatile long frame_rdi;
static bool guest;
static int ends[2], orders[2];

static void timer_stop(void)
{
	setitimer(ITIMER_REAL, &(struct itimerval){ { 0, 0 }, { 0, 0 } }, NULL);
}

static void handle(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	frame_rdi = ((ucontext_t *)context)->uc_mcontext.gregs[REG_RDI];
	if (++hits != last)
		return;
	timer_stop();
	if (write(orders[1], "w", 1) != 1)
		_exit(1);
}

static void timer_start(int us, int flags)
{
	struct sigaction action = { .sa_sigaction = handle, .sa_flags = flags | SA_SIGINFO };
	struct itimerval every = { { 0, us }, { 0, us } };

	sigaction(SIGALRM, &action, NULL);
	hits = 0;
	setitimer(ITIMER_REAL, &every, NULL);
}

/* Starts a child that writes three bytes shortly after a command. */
static pid_t writer(void)
{
	pid_t pid = fork();
	char byte;

	if (!pid) {
		if (read(orders[0], &byte, 1) != 1)
			_exit(2);
		pause_us(30000);
		_exit(write(ends[1], "abc", 3) == 3 ? CHILD_GOOD : 1);
	}
	return pid;
}

static void check_read(void)
{
	char bytes[4];
	pid_t pid;
	long calls = 0, rdi;

	section("read with SA_RESTART: comes back with the data, and each restart asks again");
	pid = writer();
	if (guest)
		calls = probe_counter(CALLS);
	last = 6;
	timer_start(20000, SA_RESTART);
	rdi = raw(SYS_read, ends[0], (long)bytes, 4);
	EQUAL(rdi, 3);
	EXPECT(hits >= last);
	EQUAL(frame_rdi, ends[0]);
	if (guest)
		EXPECT(probe_counter(CALLS) - calls > 2 * hits); /* read again, and rt_sigreturn */
	GOOD(pid);
	section("read without SA_RESTART: EINTR");
	pid = writer();
	last = 0;
	timer_start(20000, 0);
	EQUAL(raw(SYS_read, ends[0], (long)bytes, 4), -EINTR);
	timer_stop();
	EXPECT(hits >= 1);
	EQUAL(write(orders[1], "w", 1), 1);
	GOOD(pid);
	EQUAL(raw(SYS_read, ends[0], (long)bytes, 4), 3);
}

static void check_sleeps(void)
{
	struct pollfd ready = { ends[0], POLLIN, 0 };
	struct timespec time = { 15, 0 }, left = { 99, 9 };

	section("nanosleep and poll are not restarted by handlers, with SA_RESTART neither");
	for (int i = 0; i < 2; i++) {
		const double begin = seconds();

		timer_start(20000, i ? SA_RESTART : 0);
		EQUAL(raw(SYS_nanosleep, (long)&time, (long)&left, 0), -EINTR);
		const double rest = (double)left.tv_sec + (double)left.tv_nsec / 1e9;

		EXPECT(rest < 15.001 && rest > 15 - (seconds() - begin) - 0.001);
		EQUAL(raw(SYS_poll, (long)&ready, 1, 15000), -EINTR);
		timer_stop();
	}
}

/* Stops and continues a child several times while it is in a call of 300 ms. */
static void check_stopped(const char *name, int kind)
{
	pid_t pid;

	section(name);
	pid = fork();
	if (!pid) {
		struct pollfd ready = { ends[0], POLLIN, 0 };
		struct timespec time = { 0, 300000000 };
		const double begin = seconds();

		if (kind == 0)
			EQUAL(raw(SYS_nanosleep, (long)&time, 0, 0), 0);
		else if (kind == 1)
			EQUAL(raw(SYS_poll, (long)&ready, 1, 300), 0);
		else
			EQUAL(raw6(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, (long)&time, 0, 0, 0),
			      0);
		const double took = seconds() - begin;

		if (took < 0.299 || took > 10)
			failed("300 ms took %d ms", (int)(took * 1000));
		child_exit();
	}
	for (int i = 0; i < 5; i++) {
		pause_us(30000);
		kill(pid, SIGSTOP);
		pause_us(10000);
		kill(pid, SIGCONT);
	}
	GOOD(pid);
}

/* Tests that a signal that is only unblocked during the call is handled once, and ends the call. */
static void check_suspend(void)
{
	sigset_t all, old;
	pid_t pid;

	section("sigsuspend with a mask");
	sigfillset(&all);
	timer_start(1000000, 0);
	sigprocmask(SIG_BLOCK, &all, &old);
	const pid_t self = getpid();

	pid = fork();
	if (!pid) {
		pause_us(30000);
		kill(self, SIGALRM);
		child_exit();
	}
	hits = 0;
	EQUAL(sigsuspend(&old), -1);
	EQUAL(hits, 1);
	timer_stop();
	sigprocmask(SIG_SETMASK, &old, NULL);
	GOOD(pid);
}

int main(int argc, char **argv)
{
	guest = argc > 1 && strcmp(argv[1], "plain");
	if (guest)
		probe_mode(atol(argv[1]));
	EXPECT(!pipe(ends) && !pipe(orders));
	check_read();
	check_sleeps();
	check_stopped("nanosleep keeps its time over stops", 0);
	check_stopped("poll keeps its time over stops", 1);
	check_stopped("clock_nanosleep keeps its time over stops", 2);
	check_suspend();
	if (guest)
		probe_check();
	return sections_finish();
}
