// SPDX-License-Identifier: GPL-2.0
/*
 * A load that displaces the caches and the TLB: it continuously writes to all cache lines of a memory area, and then
 * frees the area, so that each page faults again in the next round.
 *
 *   flood MIB [ROUNDS]    without ROUNDS it runs until it is killed
 *
 * The memory must be larger than the last cache, and have more pages than the TLB has entries.
 */
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "figure.h"

#define LINE 64ul
#define PAGE 4096ul
#define MIB_MAX 65536ul

/*
 * Writes to each cache line once. Consecutive writes are to different pages, so that each write needs another TLB entry
 * and another line. The written lines are dirty, so the processor must write them back before it can reuse them.
 */
static void lines_write(volatile unsigned char *memory, size_t size, unsigned char value)
{
	for (size_t line = 0; line < PAGE; line += LINE)
		for (size_t page = 0; page < size; page += PAGE)
			memory[page + line] = value;
}

int main(int argc, char **argv)
{
	unsigned long mib = argc == 2 || argc == 3 ? figure_number(argv[1]) : 0;
	unsigned long rounds = argc == 3 ? figure_number(argv[2]) : 0;
	size_t size = mib << 20;
	void *memory;

	if (!mib || mib > MIB_MAX)
		figure_usage("flood MIB [ROUNDS], 1 to 65536 MiB");
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		figure_die("flood: mmap");
	/* Huge pages would have few TLB entries. A kernel without them refuses the advice, which changes nothing. */
	madvise(memory, size, MADV_NOHUGEPAGE);
	for (unsigned long round = 1; !rounds || round <= rounds; round++) {
		lines_write(memory, size, (unsigned char)round);
		if (madvise(memory, size, MADV_DONTNEED))
			figure_die("flood: madvise");
	}
	return 0;
}
