// SPDX-License-Identifier: GPL-2.0
/*
 * Measures the first access of an ordinary Linux process to a page, when the page tables exist: a
 * minor fault. Private memory is zeroed by Linux then. A page that already exists is only mapped.
 * Also measures the cost of freeing the private pages, for each page. The readings of the clock are
 * included.
 *
 *   minor_fault [FAULTS [CPU]]
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "figure.h"

#define PAGE 4096ul
#define PAGES 200ul /* pages at a time, as in the component touch */
#define WARM_UP 16

static volatile char *memory; /* PAGES of them */

static void memory_map(int sharing)
{
	memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, sharing | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		figure_die("mmap");
	/*
	 * A fault maps one page: no huge page, and no pages around it. Kernels without huge pages
	 * refuse the first advice.
	 */
	if ((madvise((void *)memory, PAGES * PAGE, MADV_NOHUGEPAGE) && errno != EINVAL) ||
	    madvise((void *)memory, PAGES * PAGE, MADV_RANDOM))
		figure_die("madvise");
}

static uint64_t touch(unsigned long page)
{
	uint64_t start = figure_time();

	memory[page * PAGE] = 1;
	return figure_time() - start;
}

/* Unmaps the pages. Private pages are freed, shared pages stay in memory. The cost is per page. */
static uint64_t pages_drop(void)
{
	uint64_t start = figure_time();

	if (madvise((void *)memory, PAGES * PAGE, MADV_DONTNEED))
		figure_die("madvise");
	return (figure_time() - start) / PAGES;
}

static void measure(const char *subject, int sharing, unsigned long faults)
{
	struct figure figure = { "fault", "page", subject };
	unsigned long rounds = (faults + WARM_UP + PAGES - 1) / PAGES;
	uint64_t *samples = figure_samples(faults), *drops = figure_samples(rounds);

	memory_map(sharing);
	for (unsigned long page = 0; page < PAGES; page++)
		touch(page);
	for (unsigned long i = 0; i < faults + WARM_UP; i++) {
		uint64_t ticks;

		if (i % PAGES == 0)
			drops[i / PAGES] = pages_drop();
		ticks = touch(i % PAGES);
		samples[i < WARM_UP ? 0 : i - WARM_UP] = ticks;
	}
	figure_print(&figure, samples, faults);
	if (sharing == MAP_PRIVATE) {
		figure.name = "page-free";
		figure_print(&figure, drops, rounds);
	}
}

int main(int argc, char **argv)
{
	unsigned long faults = argc > 1 ? figure_number(argv[1]) : 1000;

	figure_pin(argc > 2 ? (int)strtol(argv[2], NULL, 10) : 0);
	measure("linux", MAP_PRIVATE, faults);
	measure("linux-mapped", MAP_SHARED, faults);
	return 0;
}
