// SPDX-License-Identifier: GPL-2.0
/*
 * Uses more memory than the machine has.
 *
 *   eater MIB   fills this much memory with compressible data, reads it twice, and checks it
 *   eater 0     fills memory with incompressible data, until it is killed
 */
#include <sys/mman.h>

#include "../../lib/device.h"

#define PAGE 4096ul
#define STEP (1ul << 20)

static uint64_t *more(size_t size)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	return at;
}

static void first_victim(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY);

	if (write(fd, "1000", 4) != 4)
		die("oom_score_adj: %s", strerror(errno));
}

static void eat_all(void)
{
	uint64_t seed = 1;

	for (;;) {
		uint64_t *at = more(STEP);

		for (size_t i = 0; i < STEP / sizeof(*at); i++)
			at[i] = random_next(&seed);
	}
}

static void page_check(const uint64_t *page, size_t n)
{
	for (size_t i = 0; i < PAGE / sizeof(*page); i++)
		if (page[i] != n * 3)
			die("page %zu, word %zu is %llx", n, i, (unsigned long long)page[i]);
}

int main(int argc, char **argv)
{
	size_t pages = argc > 1 ? strtoul(argv[1], NULL, 0) * STEP / PAGE : 0;
	uint64_t *at;

	first_victim();
	if (!pages)
		eat_all();
	at = more(pages * PAGE);
	for (size_t n = 0; n < pages; n++)
		for (size_t i = 0; i < PAGE / sizeof(*at); i++)
			at[n * PAGE / sizeof(*at) + i] = n * 3;
	for (size_t n = 0; n < 2 * pages; n++)
		page_check(at + n % pages * PAGE / sizeof(*at), n % pages);
	printf("%zu pages\n", pages);
	return 0;
}
