// SPDX-License-Identifier: GPL-2.0
/*
 * Measures the error of nanosleep(1 ms): the time from before the call until after its return, less 1 ms.
 *
 *   nap CASE SUBJECT NAPS [SLACK [SLICE]]
 *
 * SLACK is the process's timer slack in ns. SLICE is its time slice in Linux's scheduler in µs, which Linux before 6.12
 * ignores. The default of both is Linux's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cli/common/sched_attr.h>

#include "../figure.h"

static void slice_set(uint64_t ns)
{
	struct sched_attr attributes = { .size = sizeof(attributes), .sched_runtime = ns };

	if (syscall(SYS_sched_setattr, 0, &attributes, 0))
		figure_die("sched_setattr");
}

int main(int argc, char **argv)
{
	const struct timespec nap = { .tv_nsec = 1000000 };
	struct figure figure = { "exec", argc > 3 ? argv[1] : "", argc > 3 ? argv[2] : "" };
	unsigned long count;
	uint64_t *samples, wanted;

	if (argc < 4)
		figure_usage("nap CASE SUBJECT NAPS [SLACK [SLICE]]");
	count = figure_number(argv[3]);
	samples = figure_samples(count);
	figure_pin(0);
	if (argc > 4 && prctl(PR_SET_TIMERSLACK, figure_number(argv[4])))
		figure_die("PR_SET_TIMERSLACK");
	if (argc > 5)
		slice_set(figure_number(argv[5]) * 1000);
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
