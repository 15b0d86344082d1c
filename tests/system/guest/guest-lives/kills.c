// SPDX-License-Identifier: GPL-2.0
/*
 * Sends SIGKILL to guests at random moments: in calls of all kinds, while they fork, create threads
 * and execute programs. Arguments: the probe's mode and the number of times. With argument
 * `counters`, compares the probe's counters, as the only guest.
 */
#include "tests/system/lib/guest.h"

#include <pthread.h>

static uint64_t seed = 7, second;
static const char *self;

static void *thread_main(void *unused)
{
	for (;;)
		raw_getppid();
	return unused;
}

/* Runs the child until it is killed. */
static void __attribute__((noreturn)) work(int kind)
{
	pthread_t thread;
	int status;

	switch (kind) {
	case 0:
		for (;;)
			raw_getppid();
	case 1:
		for (;;)
			probe_run(second / 2000);
	case 2:
		for (;;)
			probe_wait(second / 1000, 0);
	case 3:
		for (;;)
			raw(508, 0, 0, 0); /* moved to the host thread */
	case 4:
		for (;;) {
			pid_t pid = fork();

			if (!pid)
				_exit(0);
			waitpid(pid, &status, 0);
		}
	case 5:
		for (int i = 0; i < 4; i++)
			pthread_create(&thread, NULL, thread_main, NULL);
		for (;;)
			pause();
	case 6:
		execl(self, self, "executed", "6", NULL);
		_exit(1);
	case 7:
		probe_wait(~0ull, 0);
		_exit(1);
	default:
		probe_mode(WAIT);
		raw_getppid();
		_exit(1);
	}
}

#define KINDS 9

static void kill_one(int kind)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		setpgid(0, 0);
		work(kind);
	}
	setpgid(pid, pid);
	pause_us((long)(random_next(&seed) % 6000));
	kill(-pid, SIGKILL);
	status = child_wait(pid, 10);
	if (status < 0)
		failed("kind %d: SIGKILL does not end it, state %c", kind, task_state(pid));
	else if (status != SIGKILL)
		failed("kind %d: status 0x%x", kind, status);
}

static void check_counters(void)
{
	section("begins and ends add up");
	for (int i = 0; i < 400 && probe_counter(BEGINS) != probe_counter(ENDS) + 1; i++)
		pause_us(50000);
	EQUAL(probe_counter(ENDS) + 1, probe_counter(BEGINS));
	probe_check();
}

int main(int argc, char **argv)
{
	static char name[KINDS][40];
	static const char *const what[KINDS] = { "calls",
						 "runs in the executive",
						 "waits with a deadline",
						 "moved",
						 "forks",
						 "threads",
						 "execve",
						 "waits for ever",
						 "mode wait" };

	self = argv[0];
	second = ticks_second();
	if (argc > 2 && !strcmp(argv[1], "executed"))
		work(atoi(argv[2]));
	if (argc > 1 && !strcmp(argv[1], "counters")) {
		execlp("limpet", "limpet", "guest", "run", "--executive", "probe", self, "compare",
		       NULL);
		return 1;
	}
	if (argc > 1 && !strcmp(argv[1], "compare")) {
		check_counters();
		return sections_finish();
	}
	probe_mode(atol(argv[1]));
	for (int kind = 0; kind < KINDS; kind++) {
		snprintf(name[kind], sizeof(name[kind]), "SIGKILL: %s", what[kind]);
		section(name[kind]);
		for (long i = 0; i < atol(argv[2]) / KINDS; i++)
			kill_one(kind);
	}
	return sections_finish();
}
