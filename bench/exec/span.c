// SPDX-License-Identifier: GPL-2.0
/*
 * Measures a command from before the fork until after its end is known, with fixed addresses. Each
 * run must succeed. One more run precedes the measured ones, so that all files are in memory.
 *
 *   span CASE SUBJECT RUNS COMMAND [ARGUMENT...]
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../figure.h"

static void run(char **command)
{
	pid_t child = fork();
	int status;

	if (!child) {
		execvp(command[0], command);
		figure_die(command[0]);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		figure_die("fork");
	if (status) {
		fprintf(stderr, "span: %s ended with status %#x\n", command[0],
			(unsigned int)status);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	struct figure figure = { "exec", argc > 4 ? argv[1] : "", argc > 4 ? argv[2] : "" };
	unsigned long runs;
	uint64_t *samples;

	if (argc < 5)
		figure_usage("span CASE SUBJECT RUNS COMMAND [ARGUMENT...]");
	runs = figure_number(argv[3]);
	samples = figure_samples(runs);
	figure_pin(0);
	if (personality(ADDR_NO_RANDOMIZE) < 0)
		figure_die("ADDR_NO_RANDOMIZE");
	run(argv + 4);
	for (unsigned long i = 0; i < runs; i++) {
		uint64_t start = figure_time();

		run(argv + 4);
		samples[i] = figure_time() - start;
	}
	figure_print(&figure, samples, runs);
	return 0;
}
