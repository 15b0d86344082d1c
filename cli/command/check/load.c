// SPDX-License-Identifier: GPL-2.0
/*
 * Loads Linux. Processes on each CPU compute, flush caches and the TLB, create processes, pass
 * messages, and write files. They have ordinary priority and end with this command.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cli/command/check/check.h>
#include <cli/common/report.h>

#define MEMORY (16ul << 20) /* more than most second-level caches, and many pages */
#define STEP 64		    /* bytes of a cache line */
#define BLOCK 4096

static pid_t *children;
static unsigned int children_count;

static void compute(void)
{
	for (volatile double x = 1;;)
		x = x * 1.0000001 + 0.5;
}

static void memory_walk(void)
{
	volatile unsigned char *memory =
		mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	while (memory != MAP_FAILED)
		for (size_t at = 0; at < MEMORY; at += STEP)
			memory[at]++;
}

static void processes_create(void)
{
	for (;;) {
		pid_t child = fork();

		if (!child)
			_exit(0);
		if (child > 0)
			waitpid(child, NULL, 0);
	}
}

static void messages_pass(void)
{
	int one[2], other[2];
	char byte = 0;

	if (pipe(one) || pipe(other))
		return;
	if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (read(one[0], &byte, 1) == 1 && write(other[1], &byte, 1) == 1)
			;
		_exit(0);
	}
	while (write(one[1], &byte, 1) == 1 && read(other[0], &byte, 1) == 1)
		;
}

static void file_write(void)
{
	static const char block[BLOCK];
	int fd = memfd_create("limpet-check", MFD_CLOEXEC);

	while (fd >= 0 && write(fd, block, sizeof(block)) == sizeof(block))
		if (lseek(fd, 0, SEEK_CUR) >= (off_t)MEMORY && ftruncate(fd, 0) == 0)
			lseek(fd, 0, SEEK_SET);
}

static void (*const loads[])(void) = { compute, memory_walk, processes_create, messages_pass,
				       file_write };

#define LOADS (sizeof(loads) / sizeof(*loads))

static bool child_start(int cpu, void (*run)(void))
{
	pid_t child = fork();
	cpu_set_t set;

	if (child < 0) {
		report("A process for the load cannot be started: %s", strerror(errno));
		return false;
	}
	if (child) {
		children[children_count++] = child;
		return true;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0);
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	run();
	_exit(1);
}

bool load_start(void)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	children = calloc((size_t)cpus * LOADS, sizeof(*children));
	if (!children) {
		report("There is not enough memory for a load on %ld CPUs.", cpus);
		return false;
	}
	for (int cpu = 0; cpu < cpus; cpu++)
		for (size_t i = 0; i < LOADS; i++)
			if (!child_start(cpu, loads[i])) {
				load_stop();
				return false;
			}
	return true;
}

void load_stop(void)
{
	for (unsigned int i = 0; i < children_count; i++)
		kill(children[i], SIGKILL);
	for (unsigned int i = 0; i < children_count; i++)
		waitpid(children[i], NULL, 0);
	free(children);
	children = NULL;
	children_count = 0;
}
