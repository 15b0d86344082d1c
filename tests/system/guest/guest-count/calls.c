// SPDX-License-Identifier: GPL-2.0
/*
 * Makes known numbers of system calls, which the C library does not make for this program.
 *
 *   calls                   getppid 300 times, dup(-1) 40 times, which fails, two numbers above 511 seven times each,
 *                           sleeps of 50 ms 3 times, and 5 signals with a handler and 3 that are ignored
 *   calls processes COUNT   COUNT children at a time, each of which makes getppid as often as its number, from 1 on,
 *                           and prints "child NUMBER PID". They end when all have started
 *   calls threads COUNT     COUNT threads at a time, each of which makes getppid 1000 times
 *   calls execute COUNT     getppid once, and then executes itself, COUNT times
 *   calls killed            getppid 20 times, and then SIGKILL
 *   calls stays             getppid 10 times, then prints a line and sleeps until a signal ends it
 */
#include "tests/system/lib/guest.h"

#include <pthread.h>

#define THREADS_MAX 64

static void repeated(long number, long argument, int count)
{
	for (int i = 0; i < count; i++)
		raw(number, argument, 0, 0);
}

static void handler(int unused)
{
	(void)unused;
}

static void known(void)
{
	const struct timespec length = { 0, 50000000 };

	repeated(SYS_getppid, 0, 300);
	repeated(SYS_dup, -1, 40);
	repeated(600, 0, 7);
	repeated(100000, 0, 7);
	for (int i = 0; i < 3; i++)
		raw(SYS_nanosleep, (long)&length, 0, 0);
	signal(SIGUSR1, handler);
	signal(SIGUSR2, SIG_IGN);
	for (int i = 0; i < 5; i++)
		kill(getpid(), SIGUSR1);
	for (int i = 0; i < 3; i++)
		kill(getpid(), SIGUSR2);
}

static int processes(int count)
{
	char line[40], byte;
	int started[2], ended[2];

	if (pipe(started) || pipe(ended))
		return 1;
	for (int i = 1; i <= count; i++) {
		if (fork())
			continue;
		close(ended[1]);
		repeated(SYS_getppid, 0, i);
		snprintf(line, sizeof(line), "child %d %d\n", i, getpid());
		if (write(STDOUT_FILENO, line, strlen(line)) < 0 || write(started[1], "", 1) != 1)
			_exit(1);
		_exit(read(ended[0], &byte, 1) != 0);
	}
	for (int i = 0; i < count; i++)
		if (read(started[0], &byte, 1) != 1)
			return 1;
	close(ended[1]);
	for (int i = 0, status; i < count; i++)
		if (wait(&status) < 0 || status)
			return 1;
	return 0;
}

static void *thread_main(void *unused)
{
	repeated(SYS_getppid, 0, 1000);
	return unused;
}

static int threads(int count)
{
	pthread_t thread[THREADS_MAX];

	for (int i = 0; i < count && i < THREADS_MAX; i++)
		if (pthread_create(&thread[i], NULL, thread_main, NULL))
			return 1;
	for (int i = 0; i < count && i < THREADS_MAX; i++)
		pthread_join(thread[i], NULL);
	return 0;
}

static int execute(const char *self, int count)
{
	char number[20];

	raw_getppid();
	if (!count)
		return 0;
	snprintf(number, sizeof(number), "%d", count - 1);
	execl(self, self, "execute", number, NULL);
	return 1;
}

int main(int argc, char **argv)
{
	const int count = argc > 2 ? atoi(argv[2]) : 0;

	if (argc == 1) {
		known();
	} else if (!strcmp(argv[1], "processes")) {
		return processes(count);
	} else if (!strcmp(argv[1], "threads")) {
		return threads(count);
	} else if (!strcmp(argv[1], "execute")) {
		return execute(argv[0], count);
	} else if (!strcmp(argv[1], "killed")) {
		repeated(SYS_getppid, 0, 20);
		kill(getpid(), SIGKILL);
	} else if (!strcmp(argv[1], "stays")) {
		repeated(SYS_getppid, 0, 10);
		if (write(STDOUT_FILENO, "stays\n", 6) < 0)
			return 1;
		for (;;)
			pause();
	} else {
		return 2;
	}
	return 0;
}
