// SPDX-License-Identifier: GPL-2.0
/*
 * Tests calls of Linux that the executive makes in the guest's context, one after another, in one
 * call of the guest. Checks their results, the guest's registers, signals between them, and their
 * effects on the guest. Argument: the number of calls under signals.
 */
#include "tests/system/lib/guest.h"

#include <sys/time.h>

static volatile long ticks;
static void tick(int signal)
{
	(void)signal;
	ticks++;
}

/* Returns the result, or 0 if a register of the guest's arguments has changed. */
static long chain_kept(long count, long number, long argument)
{
	long first = count, second = number, third = argument, result;

	__asm__ volatile("syscall"
			 : "=a"(result), "+D"(first), "+S"(second), "+d"(third)
			 : "0"(494l)
			 : "rcx", "r11", "memory");
	return first == count && second == number && third == argument ? result : 0;
}

static void check_results(void)
{
	const long pid = getpid();

	section("calls one after another");
	for (long count = 1; count <= 6; count++)
		EQUAL(chain_kept(count, SYS_getpid, 77), count * pid);
	EQUAL(chain_kept(3, SYS_close, -1), 3 * -EBADF);
	EQUAL(chain_kept(500, SYS_getpid, 0), 500 * pid);
	section("they act on the guest");
	EQUAL(probe_chain(1, SYS_alarm, 100), 0);
	EQUAL(probe_chain(1, SYS_alarm, 0), 100);
	const long next = dup(2);

	EQUAL(close((int)next), 0);
	EQUAL(probe_chain(2, SYS_dup, 2), next + next + 1);
	EQUAL(close((int)next) | close((int)next + 1), 0);
	section("a process that they make goes on behind the guest's call");
	const long child = probe_chain(1, SYS_fork, 0);

	if (!child)
		_exit(CHILD_GOOD);
	EXPECT(child > 0);
	GOOD((pid_t)child);
}

/* Tests that a signal between two calls makes the guest repeat its call, which then continues. */
static void check_signals(long count)
{
	const struct itimerval every = { { 0, 700 }, { 0, 700 } }, never = { 0 };
	const struct sigaction action = { .sa_handler = tick, .sa_flags = SA_RESTART };
	const long pid = getpid();
	long wrong = 0;

	section("signals");
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	for (long i = 0; i < count || ticks < 50; i++)
		wrong += chain_kept(7, SYS_getpid, i) != 7 * pid;
	setitimer(ITIMER_REAL, &never, NULL);
	EQUAL(wrong, 0);
}

int main(int argc, char **argv)
{
	check_results();
	check_signals(argc > 1 ? atol(argv[1]) : 100);
	probe_check();
	return sections_finish();
}
