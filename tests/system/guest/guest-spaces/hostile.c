// SPDX-License-Identifier: GPL-2.0
/*
 * Makes random calls of spaces, in several processes, threads and spaces at the same time, which
 * kill each other. Argument: seconds. Afterwards the executive must serve another program as
 * before.
 */
#include "use.h"

#include <pthread.h>

static volatile uint32_t seed;

static long chance(long below)
{
	seed = seed * 1664525 + 1013904223;
	return (long)(seed >> 8) % below;
}

static void wild(long argument, long from, long value)
{
	static long fan = 3;

	(void)value;
	seed += (uint32_t)argument + (uint32_t)getpid();
	for (;;) {
		value = chance(12);
		switch (chance(10)) {
		case 0:
			if (fan-- > 0)
				spaces_create(wild, TOP - (chance(8) << 10), chance(1000));
			break;
		case 1:
			spaces_destroy(chance(130));
			break;
		case 2:
			spaces_call(chance(5), chance(130), (long)wild, chance(9), &value);
			break;
		case 3:
			if (chance(20))
				kill(0, SIGUSR1);
			else
				raise(SIGKILL);
			break;
		case 4:
			spaces_switch(from, &value);
			break;
		case 5:
			if (!fork())
				_exit(spaces_switch(chance(130), &value) < 0);
			break;
		case 6:
			while (waitpid(-1, NULL, WNOHANG | __WALL) > 0)
				;
			break;
		case 7:
			if (!chance(20))
				_exit(1);
			break;
		default:
			spaces_switch(chance(130), &value);
		}
	}
}

static void *wild_thread(void *argument)
{
	wild((long)argument, 0, 0);
	return NULL;
}

static void nothing(int signal)
{
	(void)signal;
}

static void program(long number)
{
	pthread_t thread;

	setpgid(0, 0);
	signal(SIGUSR1, nothing);
	alarm(20);
	for (long i = 0; i < number % 3; i++)
		pthread_create(&thread, NULL, wild_thread, (void *)(number * 10 + i));
	wild(number, 0, 0);
}

static void answers(long argument, long from, long value)
{
	for (;;)
		from = spaces_switch(from, (value += argument, &value));
}

int main(int argc, char **argv)
{
	const double end = seconds() + (argc > 1 ? atof(argv[1]) : 1);
	long space, value, wrong = 0;
	pid_t pids[4] = { 0 };

	signal(SIGUSR1, nothing);
	section("programs that do all that is wrong");
	for (long round = 0; seconds() < end; round++) {
		pid_t *pid = &pids[round % 4];

		if (*pid) {
			kill(-*pid, SIGKILL);
			waitpid(*pid, NULL, 0);
		}
		*pid = fork();
		if (!*pid)
			program(round);
		setpgid(*pid, *pid);
		pause_us(20000);
	}
	for (int i = 0; i < 4; i++) {
		kill(-pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	section("another program has its spaces all the same");
	for (double until = seconds() + 20;
	     (space = spaces_create(answers, TOP, 1)) == -EAGAIN && seconds() < until;)
		pause_us(10000);
	EXPECT(space > 0);
	for (long i = 0; i < 200; i++) {
		value = i;
		wrong += spaces_switch(space, &value) != space || value != i + 1;
	}
	EQUAL(wrong, 0);
	EQUAL(spaces_destroy(space), 0);
	return sections_finish();
}
