// SPDX-License-Identifier: GPL-2.0
/*
 * Makes calls, sleeps, forks and creates threads until a file exists, and checks each result and its CPU. Prints
 * "right COUNT", the number of getppid calls of the process and its children, or what was wrong. Arguments: the file,
 * and the only CPU on which it may run.
 */
#include "tests/system/lib/guest.h"

#include <pthread.h>

static volatile long calls;
static int cpu;

static void call(void)
{
	const pid_t parent = getppid(); /* the C library also makes a call */

	if (raw_getppid() != parent)
		die("getppid is wrong");
	__atomic_fetch_add(&calls, 2, __ATOMIC_RELAXED);
	if (sched_getcpu() != cpu)
		die("it runs on CPU %d", sched_getcpu());
}

static void *thread_main(void *unused)
{
	for (int i = 0; i < 20; i++)
		call();
	return unused;
}

static void thread_run(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, thread_main, NULL) || pthread_join(thread, NULL))
		die("a thread: %s", strerror(errno));
}

static void child_run(void)
{
	const pid_t self = getpid(), pid = fork();
	int status;

	if (!pid)
		_exit(raw_getppid() == self ? CHILD_GOOD : 1);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != CHILD_GOOD << 8)
		die("a child has status 0x%x", status);
	calls++;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	cpu = atoi(argv[2]);
	while (access(argv[1], F_OK)) {
		for (int i = 0; i < 50; i++)
			call();
		thread_run();
		child_run();
		pause_us(1000);
	}
	printf("right %ld\n", calls);
	return 0;
}
