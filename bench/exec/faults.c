// SPDX-License-Identifier: GPL-2.0
/* Ranges of small pages, for any mechanism. */
#include <errno.h>
#include <sys/mman.h>

#include "faults.h"

unsigned char *fault_range(int sharing)
{
	unsigned char *range =
		mmap(NULL, FAULT_SIZE, PROT_READ | PROT_WRITE, sharing | MAP_ANONYMOUS, -1, 0);

	/* One page for each fault: neither large pages nor neighbours. Kernels without large pages refuse the first. */
	if (range == MAP_FAILED ||
	    (madvise(range, FAULT_SIZE, MADV_NOHUGEPAGE) && errno != EINVAL) ||
	    madvise(range, FAULT_SIZE, MADV_RANDOM))
		figure_die("mmap");
	return range;
}

void fault_drop(unsigned char *range)
{
	if (madvise(range, FAULT_SIZE, MADV_DONTNEED))
		figure_die("madvise");
}
