// SPDX-License-Identifier: GPL-2.0
/*
 * Measures the time from a Linux process's sched_yield() until another process continues, on one
 * CPU. Both have SCHED_FIFO and the same priority, so they alternate. The two readings of the clock
 * are included.
 *
 *   yield [ROUNDS [CPU [CASE SUBJECT]]]        default: block-dispatch linux
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "figure.h"

#define WARM_UP 200
#define PRIORITY 90 /* priority of the host thread, too */

struct shared {
	volatile uint64_t left;	 /* time at which this process called sched_yield() */
	volatile uint64_t turns; /* turns of the other process */
};

/* Runs the other process, until it is killed. */
static void other(struct shared *shared)
{
	for (;;) {
		shared->turns++;
		shared->left = figure_time();
		sched_yield();
	}
}

int main(int argc, char **argv)
{
	struct figure figure = { "sched", argc > 4 ? argv[3] : "block-dispatch",
				 argc > 4 ? argv[4] : "linux" };
	unsigned long rounds = argc > 1 ? figure_number(argv[1]) : 2000;
	struct shared *shared =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t *samples = figure_samples(rounds);
	pid_t pid;

	if (shared == MAP_FAILED)
		figure_die("mmap");
	figure_pin(argc > 2 ? (int)strtol(argv[2], NULL, 10) : 0);
	figure_realtime(PRIORITY);
	pid = fork();
	if (pid < 0)
		figure_die("fork");
	if (!pid)
		other(shared);
	for (unsigned long i = 0; i < rounds + WARM_UP; i++) {
		uint64_t turn = shared->turns;
		uint64_t now;

		sched_yield();
		now = figure_time();
		if (shared->turns != turn + 1) {
			fprintf(stderr, "they do not take turns\n");
			return 1;
		}
		samples[i < WARM_UP ? 0 : i - WARM_UP] = now - shared->left;
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	figure_print(&figure, samples, rounds);
	return 0;
}
