// SPDX-License-Identifier: GPL-2.0
/*
 * Measures the cost of a system call, and of a switch between two address spaces. After each one the program touches a
 * number of pages, 0 to 1,024.
 *
 *   working_set call|space SUBJECT null|futex|yield|spaces [ROUNDS]
 *
 * call measures getppid(), with `null`. space measures the time from before one address space gives up the CPU until
 * the other one has touched its pages: two processes as in hand_over.c (futex, yield), or two spaces of exec.spaces
 * (spaces). All run with SCHED_FIFO, priority 1. The cases call-N and space-N are time stamps, without the time for
 * touching N pages alone. The cases call-walks-N and space-walks-N count the pages that the processor looked up in the
 * page tables again. The lookup sets a page's "accessed" bit, which is cleared before. Linux clears and shows this bit
 * (/proc/PID/clear_refs, smaps) without flushing the TLB.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "components/executive/exec.spaces/spaces.h"

#include "../figure.h"

#define PAGE 4096
#define PAGES_MAX 1024
#define WARM_UP 50
#define LOOKS 9

static const unsigned int sizes[] = { 0, 1, 4, 16, 64, 256, PAGES_MAX };

static struct shared {
	uint32_t turn;
	uint32_t pages;
	uint64_t left; /* time stamp at which the last switch started */
} *shared;

static char *memory; /* each address space has its own */
static enum { NULL_CALL, FUTEX, YIELD, SPACES } way;
static long space;
static char stack[1 << 14] __attribute__((aligned(16)));

static void touch(unsigned int pages)
{
	for (unsigned int i = 0; i < pages; i++)
		(void)*(volatile char *)(memory + i * PAGE);
}

/* Gives the other process the turn and waits for the next one. */
static void turn_pass(void)
{
	const uint32_t mine = shared->turn;

	shared->left = figure_time();
	__atomic_store_n(&shared->turn, mine + 1, __ATOMIC_RELEASE);
	if (way == FUTEX)
		syscall(SYS_futex, &shared->turn, FUTEX_WAKE, 1, NULL, NULL, 0);
	while (__atomic_load_n(&shared->turn, __ATOMIC_ACQUIRE) == mine + 1)
		if (way == FUTEX)
			syscall(SYS_futex, &shared->turn, FUTEX_WAIT, mine + 1, NULL, NULL, 0);
		else
			sched_yield();
}

/* Runs the other address space, until this one ends it. */
static void other(long argument, long from, long value)
{
	(void)argument;
	memset(memory, 2, PAGES_MAX * PAGE);
	for (;;) {
		touch(shared->pages);
		if (way == SPACES) {
			shared->left = figure_time();
			spaces_switch(from, &value);
		} else {
			turn_pass();
		}
	}
}

/*
 * Makes one system call, or switches to the other address space and back, and touches the pages. Returns the ticks
 * since the call began, or since the switch back began.
 */
static uint64_t act(unsigned int pages)
{
	long value = 0;

	shared->left = figure_time();
	if (way == NULL_CALL)
		figure_null_call();
	else if (way != SPACES)
		turn_pass();
	else if (spaces_switch(space, &value) != space)
		figure_die("spaces_switch");
	touch(pages);
	return figure_time() - shared->left;
}

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Returns the median of the ticks that touching the pages alone takes, with two readings of the clock. */
static uint64_t touch_time(unsigned int pages)
{
	uint64_t sample[LOOKS];

	for (unsigned int i = 0; i < LOOKS; i++) {
		sample[i] = figure_time();
		touch(pages);
		sample[i] = figure_time() - sample[i];
	}
	qsort(sample, LOOKS, sizeof(sample[0]), compare);
	return sample[LOOKS / 2];
}

static void measure_ticks(const struct figure *figure, unsigned int pages, unsigned long count)
{
	uint64_t *samples = figure_samples(count);
	const uint64_t alone = touch_time(pages);

	for (unsigned long i = 0; i < WARM_UP; i++)
		act(pages);
	for (unsigned long i = 0; i < count; i++) {
		const uint64_t ticks = act(pages);

		samples[i] = ticks > alone ? ticks - alone : 0;
	}
	figure_print(figure, samples, count);
	free(samples);
}

/* Clears the bit "accessed" of all pages of this process. */
static void accessed_clear(void)
{
	int file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);

	touch(shared->pages); /* after the calls that would flush the TLB */
	if (file < 0 || write(file, "1", 1) != 1)
		figure_die("/proc/self/clear_refs");
	close(file);
}

/* Returns how many pages of the memory have it. */
static unsigned long accessed_count(void)
{
	FILE *file = fopen("/proc/self/smaps", "re");
	unsigned long first, end, size, found = 0;
	int inside = 0;
	char line[256];

	if (!file)
		figure_die("/proc/self/smaps");
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%lx-%lx ", &first, &end) == 2)
			inside = first == (unsigned long)memory;
		else if (inside && sscanf(line, "Referenced: %lu kB", &size) == 1)
			found = size * 1024 / PAGE;
	}
	fclose(file);
	return found;
}

static void measure_walks(const struct figure *figure, unsigned int pages)
{
	uint64_t samples[LOOKS];

	for (unsigned int i = 0; i < LOOKS; i++) {
		accessed_clear();
		act(pages);
		samples[i] = accessed_count();
	}
	figure_print_unit(figure, "pages", samples, LOOKS);
}

static void measure(const char *kind, const char *subject, unsigned long count)
{
	for (unsigned int i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		char name[40];
		struct figure figure = { "exec", name, subject };

		shared->pages = sizes[i];
		snprintf(name, sizeof(name), "%s-%u", kind, sizes[i]);
		measure_ticks(&figure, sizes[i], count);
		snprintf(name, sizeof(name), "%s-walks-%u", kind, sizes[i]);
		measure_walks(&figure, sizes[i]);
	}
}

/* Maps memory between pages that keep Linux from joining it with other mappings. */
static void memory_map(void)
{
	const size_t bytes = PAGES_MAX * PAGE;
	char *found = mmap(NULL, bytes + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (found == MAP_FAILED || shared == MAP_FAILED)
		figure_die("mmap");
	memory = found + PAGE;
	/* Kernels without huge pages refuse the advice. */
	if (mprotect(memory, bytes, PROT_READ | PROT_WRITE) ||
	    (madvise(memory, bytes, MADV_NOHUGEPAGE) && errno != EINVAL))
		figure_die("mprotect");
}

/* Makes the other address space. Returns its process, or 0. */
static pid_t other_make(void)
{
	pid_t child = 0;

	if (way == SPACES) {
		space = spaces_create(other, stack + sizeof(stack), 0);
		if (space < 0)
			figure_die("spaces_create");
	} else if (way != NULL_CALL) {
		child = fork();
		if (child < 0)
			figure_die("fork");
		if (!child) {
			while (!__atomic_load_n(&shared->turn, __ATOMIC_ACQUIRE))
				sched_yield();
			other(0, 0, 0);
		}
	}
	memset(memory, 1, PAGES_MAX * PAGE);
	return child;
}

int main(int argc, char **argv)
{
	static const char *const ways[] = { "null", "futex", "yield", "spaces" };
	pid_t child;

	for (; argc > 3 && way <= SPACES && strcmp(argv[3], ways[way]); way++)
		if (way == SPACES)
			argc = 0;
	if (argc < 4)
		figure_usage("working_set call|space SUBJECT null|futex|yield|spaces [ROUNDS]");
	figure_pin(0);
	figure_realtime(1);
	memory_map();
	child = other_make();
	measure(argv[1], argv[2], argc > 4 ? figure_number(argv[4]) : 400);
	if (child) {
		kill(child, SIGKILL);
		if (waitpid(child, NULL, 0) != child)
			figure_die("waitpid");
	}
	if (way == SPACES && spaces_destroy(space))
		figure_die("spaces_destroy");
	return 0;
}
