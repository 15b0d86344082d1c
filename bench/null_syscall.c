// SPDX-License-Identifier: GPL-2.0
/*
 * Measures a null system call of an ordinary Linux process, including two readings of the clock.
 *
 *   null_syscall SUBJECT [CALLS [CPU]]      SUBJECT: before, attached, running, after
 */
#include <stdio.h>
#include <stdlib.h>

#include "figure.h"

#define WARM_UP 100

int main(int argc, char **argv)
{
	struct figure figure = { "table1", "null-syscall", argc > 1 ? argv[1] : "before" };
	unsigned long calls = argc > 2 ? figure_number(argv[2]) : 10000;
	uint64_t *samples = figure_samples(calls);

	figure_pin(argc > 3 ? (int)strtol(argv[3], NULL, 10) : 0);
	for (unsigned long i = 0; i < calls + WARM_UP; i++) {
		uint64_t start = figure_time();

		figure_null_call();
		samples[i < WARM_UP ? 0 : i - WARM_UP] = figure_time() - start;
	}
	figure_print(&figure, samples, calls);
	return 0;
}
