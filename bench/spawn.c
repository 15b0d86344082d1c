// SPDX-License-Identifier: GPL-2.0
/*
 * Measures the replacement of a process that has died by Linux: fork, exec of this program, which
 * exits immediately, and wait. The two readings of the clock are included.
 *
 *   spawn [TIMES [CPU]]
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "figure.h"

#define WARM_UP 4

static void spawn(void)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		execl("/proc/self/exe", "spawn", "--end", (char *)NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		figure_die("a child");
}

int main(int argc, char **argv)
{
	struct figure figure = { "fault", "restart", "linux" };
	unsigned long times;
	uint64_t *samples;

	if (argc > 1 && argv[1][0] == '-')
		return 0;
	times = argc > 1 ? figure_number(argv[1]) : 1000;
	samples = figure_samples(times);
	figure_pin(argc > 2 ? (int)strtol(argv[2], NULL, 10) : 0);
	for (unsigned long i = 0; i < times + WARM_UP; i++) {
		uint64_t start = figure_time();

		spawn();
		samples[i < WARM_UP ? 0 : i - WARM_UP] = figure_time() - start;
	}
	figure_print(&figure, samples, times);
	return 0;
}
