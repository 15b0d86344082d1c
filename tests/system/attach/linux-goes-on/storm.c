// SPDX-License-Identifier: GPL-2.0
/*
 * A process whose threads, one on each CPU, continuously change one address space. Each change interrupts the other
 * CPUs to flush translations. Each thread checks its reads.
 *
 *   storm SECONDS CPUS      ends after SECONDS, but not before 50 changes
 */
#include "../../lib/device.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

#define PAGES 16
#define CHANGES_MIN 50
#define PATIENCE 60 /* extra seconds for these on a slow machine */

static double end;
static unsigned long changes;

static void check(const char *memory, char wanted)
{
	for (size_t i = 0; i < PAGES; i++)
		if (memory[i * 4096] != wanted)
			die("page %zu has %d, not %d", i, memory[i * 4096], wanted);
}

static void round_one(char value)
{
	char *memory = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);

	if (memory == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	memset(memory, value, PAGES * 4096);
	mprotect(memory, PAGES * 4096, PROT_READ);
	check(memory, value);
	mprotect(memory, PAGES * 4096, PROT_READ | PROT_WRITE);
	madvise(memory, PAGES * 4096, MADV_DONTNEED);
	check(memory, 0);
	munmap(memory, PAGES * 4096);
	__atomic_add_fetch(&changes, 1, __ATOMIC_RELAXED);
}

static int continues(void)
{
	double now = seconds();

	return now < end ||
	       (__atomic_load_n(&changes, __ATOMIC_RELAXED) < CHANGES_MIN && now < end + PATIENCE);
}

static void *work(void *argument)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((uintptr_t)argument, &set);
	sched_setaffinity(0, sizeof(set), &set);
	for (char value = 1; continues(); value = (char)(value % 100 + 1))
		round_one(value);
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned long cpus = strtoul(argc > 2 ? argv[2] : "1", NULL, 0);
	pthread_t thread[8];

	end = seconds() + atof(argv[1]);
	for (unsigned long i = 0; i < cpus && i < 8; i++)
		pthread_create(&thread[i], NULL, work, (void *)i);
	for (unsigned long i = 0; i < cpus && i < 8; i++)
		pthread_join(thread[i], NULL);
	printf("%lu\n", changes);
	return changes < CHANGES_MIN;
}
