// SPDX-License-Identifier: GPL-2.0
/*
 * What the first touch of a page costs an ordinary Linux process, whose page tables are there: a minor
 * fault. The two readings of the clock are in it.
 *
 *   minor_fault [FAULTS [CPU]]
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "figure.h"

#define PAGE 4096ul
#define PAGES 200ul /* at a time, as the component touch does */
#define WARM_UP 16

/* Pages without memory: given, taken back, and small ones. */
static volatile char *pages_new(void)
{
	static void *memory;

	if (!memory) {
		memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (memory == MAP_FAILED || madvise(memory, PAGES * PAGE, MADV_NOHUGEPAGE))
			figure_die("mmap");
	}
	if (madvise(memory, PAGES * PAGE, MADV_DONTNEED))
		figure_die("madvise");
	return memory;
}

int main(int argc, char **argv)
{
	struct figure figure = { "fault", "page", "linux" };
	unsigned long faults = argc > 1 ? figure_number(argv[1]) : 1000;
	uint64_t *samples = figure_samples(faults);
	volatile char *memory = NULL;

	figure_pin(argc > 2 ? (int)strtol(argv[2], NULL, 10) : 0);
	for (unsigned long i = 0; i < faults + WARM_UP; i++) {
		uint64_t start;

		if (i % PAGES == 0)
			memory = pages_new();
		start = figure_time();
		memory[i % PAGES * PAGE] = 1;
		samples[i < WARM_UP ? 0 : i - WARM_UP] = figure_time() - start;
	}
	figure_print(&figure, samples, faults);
	return 0;
}
