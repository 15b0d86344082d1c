// SPDX-License-Identifier: GPL-2.0
/*
 * A 1 kHz loop of a plain Linux thread that waits as Limpet does: it asks Linux to wake it early, and then waits
 * in a loop for the deadline. Its figure is the first time stamp at or after the deadline, less the deadline, as
 * in the component control.
 *
 *   early COUNT SUBJECT PRIORITY EARLY-US
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "figure.h"

#define PERIOD_NS 1000000ul

/* Converts times of clock_nanosleep()'s clock to time stamps: readings of both clocks, and the rate. */
struct clock {
	uint64_t ticks, ns;
	double ticks_per_ns;
};

static uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000ul + (uint64_t)now.tv_nsec;
}

/* Returns a reading of both clocks, the fastest of 100 attempts. It leaves the rate unset. */
static struct clock clock_read(void)
{
	struct clock best = { 0 };
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 100; i++) {
		uint64_t before = figure_time(), ns = clock_ns(), after = figure_time();

		if (after - before >= least)
			continue;
		least = after - before;
		best.ticks = before + least / 2;
		best.ns = ns;
	}
	return best;
}

/* Returns a reading of both clocks with the rate, after a measurement of 200 ms. */
static struct clock clock_learn(void)
{
	const struct timespec wait = { .tv_nsec = 200000000 };
	struct clock begin = clock_read(), end;

	nanosleep(&wait, NULL);
	end = clock_read();
	end.ticks_per_ns = (double)(end.ticks - begin.ticks) / (double)(end.ns - begin.ns);
	return end;
}

/* Sleeps until `early` ns before `due`, then waits for `due` in a loop. Returns the lateness in ticks. */
static uint64_t period_wait(const struct clock *clock, uint64_t due, uint64_t early)
{
	const struct timespec until = { .tv_sec = (time_t)((due - early) / 1000000000ul),
					.tv_nsec = (long)((due - early) % 1000000000ul) };
	uint64_t ticks = clock->ticks + (uint64_t)((double)(due - clock->ns) * clock->ticks_per_ns);
	uint64_t now;

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
		;
	while ((now = figure_time()) < ticks)
		__builtin_ia32_pause();
	return now - ticks;
}

int main(int argc, char **argv)
{
	unsigned long count = figure_number(argc > 1 ? argv[1] : "10000");
	struct figure figure = { "table1", "timer", argc > 2 ? argv[2] : "linux-early-idle" };
	struct sched_param priority = { .sched_priority =
						(int)figure_number(argc > 3 ? argv[3] : "90") };
	uint64_t early = figure_number(argc > 4 ? argv[4] : "20") * 1000, due;
	uint64_t *samples = figure_samples(count);
	struct clock clock;

	figure_pin(0);
	clock = clock_learn();
	if (mlockall(MCL_CURRENT | MCL_FUTURE) ||
	    syscall(SYS_sched_setscheduler, 0, SCHED_FIFO, &priority))
		figure_die("early: real-time priority");
	due = clock_ns() + PERIOD_NS;
	for (unsigned long i = 0; i < count; i++, due += PERIOD_NS)
		samples[i] = period_wait(&clock, due, early);
	figure_print(&figure, samples, count);
	figure_print_histogram(&figure, samples, count);
	return 0;
}
