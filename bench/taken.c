// SPDX-License-Identifier: GPL-2.0
/*
 * Measures how much CPU time a busy ordinary process loses to other work. It reads the time stamp in a loop and adds
 * up the gaps between readings. A sample is the mean loss per millisecond in a window of WINDOW_MS. For a 1 kHz loop
 * that is its cost per period. The loss includes Linux's tick, so subtract a measurement without the loop.
 *
 *   taken SUBJECT [WINDOWS]
 */
#include "figure.h"

#define WINDOWS 40 /* number of samples without an argument, and the maximum */
#define WINDOW_MS 100
#define GAP 300 /* ticks: a pass of the loop is shorter, an interrupt is longer */

/* Returns the ticks that the process loses in a window of `length` ticks. */
static uint64_t window_run(uint64_t length)
{
	uint64_t begin = figure_time(), last = begin, taken = 0;

	while (last - begin < length) {
		uint64_t now = figure_time();

		if (now - last > GAP)
			taken += now - last;
		last = now;
	}
	return taken;
}

int main(int argc, char **argv)
{
	struct figure figure = { "table1", "period", argc > 1 ? argv[1] : "alone" };
	const unsigned int wanted = argc > 2 ? (unsigned int)atoi(argv[2]) : WINDOWS;
	const unsigned int windows = wanted && wanted < WINDOWS ? wanted : WINDOWS;
	uint64_t *samples = figure_samples(windows), length;

	figure_pin(0);
	length = figure_ticks_per_ms() * WINDOW_MS;
	for (unsigned int i = 0; i < windows; i++)
		samples[i] = window_run(length) / WINDOW_MS;
	figure_print(&figure, samples, windows);
	return 0;
}
