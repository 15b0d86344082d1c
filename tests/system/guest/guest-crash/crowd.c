// SPDX-License-Identifier: GPL-2.0
/*
 * Runs guests in all states until FILE.stop exists: running, in the executive, waiting, moved, in
 * calls of Linux, stopped, with pages of the executive. Then all end, with status 0 if no check has
 * failed. Argument: FILE, which is created when all have started. The system can end meanwhile.
 * Calls of the probe then fail with ENOSYS.
 */
#include "tests/system/lib/guest.h"

#include <pthread.h>
#include <sys/stat.h>

static char stop_path[100];
static uint64_t second;
static volatile int *started; /* number of guests that have started */

static bool stopped(void)
{
	struct stat stat_;

	return !stat(stop_path, &stat_);
}

static void *thread_main(void *unused)
{
	while (!stopped())
		raw_getppid();
	return unused;
}

static void __attribute__((noreturn)) work(int kind)
{
	pthread_t thread;
	long got;

	__atomic_fetch_add(started, 1, __ATOMIC_RELAXED);
	switch (kind) {
	case 0:
		while (!stopped())
			for (volatile int i = 0; i < 10000; i++)
				;
		break;
	case 1:
		while (!stopped())
			probe_run(second / 1000);
		break;
	case 2:
		got = probe_wait(~0ull, 0); /* waits until the system ends */
		while (!stopped())
			pause_us(10000);
		_exit(got == -ENOSYS ? 0 : 1);
	case 3:
		while (!stopped())
			raw(508, 0, 0, 0);
		break;
	case 4:
		probe_mode(RESULT);
		while (!stopped())
			pause_us(1000);
		break;
	case 5:
		for (int i = 0; i < 3; i++)
			pthread_create(&thread, NULL, thread_main, NULL);
		thread_main(NULL);
		break;
	case 6: {
		volatile uint8_t *at = (uint8_t *)0x200000000000;

		probe_map((void *)at, 64 * 4096, 1);
		while (!stopped()) {
			if (raw(499, 0, 0, 0) >= 0)
				raw(SYS_getrandom, (long)at + 4096 * (random() % 64), 64, 0);
			probe_revoke((void *)at, 64 * 4096);
		}
		break;
	}
	case 7:
		while (!stopped()) {
			pid_t pid = fork();

			if (!pid)
				_exit(0);
			waitpid(pid, NULL, 0);
		}
		break;
	default:
		raise(SIGSTOP);
		while (!stopped())
			pause_us(1000);
	}
	_exit(0);
}

#define KINDS 9

/* Returns whether all guests have started. The last one is stopped. */
static bool all_started(const pid_t pid[KINDS])
{
	return *started == KINDS && task_state(pid[KINDS - 1]) == 'T';
}

int main(int argc, char **argv)
{
	const double end = seconds() + 15;
	pid_t pid[KINDS];
	int bad = 0;

	if (argc < 2)
		return 2;
	snprintf(stop_path, sizeof(stop_path), "%s.stop", argv[1]);
	second = ticks_second();
	started = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < KINDS; i++) {
		pid[i] = fork();
		if (!pid[i])
			work(i);
	}
	pause_us(100000);
	while (!all_started(pid) && seconds() < end)
		pause_us(10000);
	close(open(argv[1], O_CREAT | O_WRONLY, 0600));
	while (!stopped())
		pause_us(10000);
	kill(pid[KINDS - 1], SIGCONT);
	for (int i = 0; i < KINDS; i++) {
		const int status = child_wait(pid[i], 10);

		if (status) {
			fprintf(stderr, "kind %d: status 0x%x\n", i, status);
			bad = 1;
			kill(pid[i], SIGKILL);
		}
	}
	return bad;
}
