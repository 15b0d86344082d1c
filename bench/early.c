// SPDX-License-Identifier: GPL-2.0
/*
 * A 1 kHz loop of a plain Linux thread that waits as Limpet does: it asks Linux to wake it early, and then waits
 * in a loop for the deadline. Its figure is the first time stamp at or after the deadline, less the deadline, as
 * in the component control.
 *
 *   early COUNT SUBJECT PRIORITY EARLY-US
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "clock.h"
#include "figure.h"

#define PERIOD_NS 1000000ul

/* Sleeps until `early` ns before `due`, then waits for `due` in a loop. Returns the lateness in ticks. */
static uint64_t period_wait(const struct clock *clock, uint64_t due, uint64_t early)
{
	const struct timespec until = { .tv_sec = (time_t)((due - early) / 1000000000ul),
					.tv_nsec = (long)((due - early) % 1000000000ul) };
	uint64_t ticks = clock_ticks(clock, due), now;

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
	int priority = (int)figure_number(argc > 3 ? argv[3] : "90");
	uint64_t early = figure_number(argc > 4 ? argv[4] : "20") * 1000, due;
	uint64_t *samples = figure_samples(count);
	struct clock clock;

	figure_pin(0);
	clock = clock_learn();
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		figure_die("early: mlockall");
	figure_realtime(priority);
	due = clock_now() + PERIOD_NS;
	for (unsigned long i = 0; i < count; i++, due += PERIOD_NS)
		samples[i] = period_wait(&clock, due, early);
	figure_print(&figure, samples, count);
	figure_print_histogram(&figure, samples, count);
	return 0;
}
