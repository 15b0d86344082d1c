// SPDX-License-Identifier: GPL-2.0
/*
 * Measures the switch from one process to another on one CPU: from before the first one gives up the CPU until the
 * other one executes. The two readings of the clock are included.
 *
 *   hand_over CASE SUBJECT futex|yield ordinary|fifo [SWITCHES]
 *
 * futex: in shared memory, from before FUTEX_WAKE until the return from FUTEX_WAIT. Unless the wake-up preempts the
 * first process, the switch contains the end of its call and its FUTEX_WAIT. yield: sched_yield(), so that a scheduler
 * decides who is next. fifo: both processes have Linux's policy SCHED_FIFO, priority 1.
 */
#include <linux/futex.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../figure.h"

#define WARM_UP 200

static struct shared {
	uint32_t turn; /* number of switches so far: even numbers are the parent's turn */
	uint64_t left; /* time stamp at which the last switch started */
} *shared;

static bool yields;

static void turn_give(uint32_t turn)
{
	shared->left = figure_time();
	__atomic_store_n(&shared->turn, turn, __ATOMIC_RELEASE);
	if (yields) {
		sched_yield();
		return;
	}
	if (syscall(SYS_futex, &shared->turn, FUTEX_WAKE, 1, NULL, NULL, 0) < 0)
		figure_die("FUTEX_WAKE");
}

/* Waits until the turn is `turn`. Returns the ticks since the other process gave it. */
static uint64_t turn_await(uint32_t turn)
{
	for (;;) {
		uint32_t now = __atomic_load_n(&shared->turn, __ATOMIC_ACQUIRE);

		if (now == turn)
			return figure_time() - shared->left;
		if (yields) {
			sched_yield();
			continue;
		}
		syscall(SYS_futex, &shared->turn, FUTEX_WAIT, now, NULL, NULL, 0);
	}
}

/* Runs the other process, which takes each odd turn. */
static void other(uint32_t last)
{
	for (uint32_t turn = 1; turn < last; turn += 2) {
		turn_await(turn);
		turn_give(turn + 1);
	}
	_exit(0);
}

int main(int argc, char **argv)
{
	struct figure figure = { "exec", argc > 4 ? argv[1] : "", argc > 4 ? argv[2] : "" };
	unsigned long count = argc > 5 ? figure_number(argv[5]) : 4000;
	uint32_t last = (uint32_t)(count + WARM_UP) * 2;
	uint64_t *samples = figure_samples(count);
	pid_t child;
	int status;

	if (argc < 5)
		figure_usage("hand_over CASE SUBJECT futex|yield ordinary|fifo [SWITCHES]");
	yields = !strcmp(argv[3], "yield");
	if (!strcmp(argv[4], "fifo"))
		figure_realtime(1);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED)
		figure_die("mmap");
	figure_pin(0);
	child = fork();
	if (child < 0)
		figure_die("fork");
	if (!child)
		other(last);
	for (uint32_t turn = 0; turn < last; turn += 2) {
		uint64_t ticks;

		turn_give(turn + 1);
		ticks = turn_await(turn + 2);
		samples[turn / 2 < WARM_UP ? 0 : turn / 2 - WARM_UP] = ticks;
	}
	if (waitpid(child, &status, 0) != child || status || shared->turn != last) {
		fprintf(stderr, "hand_over: %u turns of %u\n", shared->turn, last);
		return 1;
	}
	figure_print(&figure, samples, count);
	return 0;
}
