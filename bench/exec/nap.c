// SPDX-License-Identifier: GPL-2.0
/*
 * Measures the error of nanosleep(1 ms): the time from before the call until after its return, less 1 ms.
 *
 *   nap CASE SUBJECT NAPS [SLACK]      SLACK: the process's timer slack in ns; default: Linux's
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

#include "../figure.h"

int main(int argc, char **argv)
{
	const struct timespec nap = { .tv_nsec = 1000000 };
	struct figure figure = { "exec", argc > 3 ? argv[1] : "", argc > 3 ? argv[2] : "" };
	unsigned long count;
	uint64_t *samples, wanted;

	if (argc < 4)
		figure_usage("nap CASE SUBJECT NAPS [SLACK]");
	count = figure_number(argv[3]);
	samples = figure_samples(count);
	figure_pin(0);
	if (argc > 4 && prctl(PR_SET_TIMERSLACK, figure_number(argv[4])))
		figure_die("PR_SET_TIMERSLACK");
	wanted = figure_ticks_per_ms();
	for (unsigned long i = 0; i < count; i++) {
		uint64_t start = figure_time(), took;

		if (nanosleep(&nap, NULL))
			figure_die("nanosleep");
		took = figure_time() - start;
		if (took < wanted) {
			fprintf(stderr, "nap: %lu ticks are less than 1 ms\n", took);
			return 1;
		}
		samples[i] = took - wanted;
	}
	figure_print(&figure, samples, count);
	figure_print_histogram(&figure, samples, count);
	return 0;
}
