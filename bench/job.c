// SPDX-License-Identifier: GPL-2.0
/*
 * A fixed job for Linux, heavy on the CPU, on processes, on memory and on pipes. In each iteration
 * this program forks and execs itself some times; each child computes, touches memory, and sends
 * its result through a pipe. One sample is one iteration.
 *
 *   job measure ITERATIONS [CPU]   prints a sample a line
 *   job figure SUBJECT             of the samples that come in: before, attached, running, after
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include "figure.h"

#define WARM_UP 3
#define CHILDREN 8
#define STEPS 200000ul
#define MEMORY (1ul << 20)
#define PAGE 4096
#define SAMPLES_MAX 10000

/* Computes. The assembly keeps the compiler from removing the loop. */
static uint64_t compute(uint64_t value)
{
	for (unsigned long i = 0; i < STEPS; i++)
		value = value * 6364136223846793005ul + 1442695040888963407ul;
	return value;
}

static uint64_t touch(uint64_t value)
{
	volatile unsigned char *memory = malloc(MEMORY);

	if (!memory)
		figure_die("malloc");
	for (size_t at = 0; at < MEMORY; at += PAGE)
		memory[at] = (unsigned char)(value >> (at / PAGE % 8));
	for (size_t at = 0; at < MEMORY; at += PAGE)
		value += memory[at];
	return value;
}

/* `job --child FD`: the work of one child. */
static int child(int to)
{
	uint64_t value = touch(compute(42));

	return write(to, &value, sizeof(value)) == sizeof(value) ? 0 : 1;
}

static pid_t child_start(int to)
{
	char number[16];
	pid_t pid;

	snprintf(number, sizeof(number), "%d", to);
	pid = fork();
	if (!pid) {
		execl("/proc/self/exe", "job", "--child", number, (char *)NULL);
		_exit(127);
	}
	if (pid < 0)
		figure_die("fork");
	return pid;
}

static uint64_t child_finish(int from, pid_t pid)
{
	uint64_t value = 0;
	int status;

	if (read(from, &value, sizeof(value)) != sizeof(value))
		figure_die("read");
	if (waitpid(pid, &status, 0) != pid || status)
		figure_die("a child failed");
	return value;
}

static uint64_t iterate(void)
{
	uint64_t sum = 0;
	int ends[2];

	for (int i = 0; i < CHILDREN; i++) {
		if (pipe(ends))
			figure_die("pipe");
		sum += child_finish(ends[0], child_start(ends[1]));
		close(ends[0]);
		close(ends[1]);
	}
	return sum;
}

/*
 * Random addresses would change the job from run to run, so the program executes itself again
 * without them.
 */
static void fix_addresses(char **argv)
{
	int persona = personality(0xffffffff);

	if (persona & ADDR_NO_RANDOMIZE)
		return;
	personality((unsigned long)persona | ADDR_NO_RANDOMIZE);
	execv("/proc/self/exe", argv);
	figure_die("/proc/self/exe");
}

static void measure(unsigned long iterations)
{
	for (unsigned long i = 0; i < iterations + WARM_UP; i++) {
		uint64_t start = figure_time();

		iterate();
		if (i >= WARM_UP)
			printf("%lu\n", figure_time() - start);
	}
}

static void summarise(const char *subject)
{
	struct figure figure = { "host", "job", subject };
	uint64_t *samples = figure_samples(SAMPLES_MAX);
	unsigned long count = 0;

	while (count < SAMPLES_MAX && scanf("%lu", &samples[count]) == 1)
		count++;
	if (!count || !feof(stdin)) {
		fprintf(stderr, "job: no samples, or more than %d, or no numbers\n", SAMPLES_MAX);
		exit(1);
	}
	figure_print(&figure, samples, count);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "--child"))
		return child((int)strtol(argv[2], NULL, 10));
	if (argc == 3 && !strcmp(argv[1], "figure")) {
		summarise(argv[2]);
		return 0;
	}
	if (argc < 3 || strcmp(argv[1], "measure")) {
		fprintf(stderr, "usage: job measure ITERATIONS [CPU] | job figure SUBJECT\n");
		return 2;
	}
	fix_addresses(argv);
	figure_pin(argc > 3 ? (int)strtol(argv[3], NULL, 10) : 0);
	measure(figure_number(argv[2]));
	return 0;
}
