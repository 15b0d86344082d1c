// SPDX-License-Identifier: GPL-2.0
/*
 * Tests that a guest does not reach the executive's memory. It maps, fills, protects and unmaps
 * memory at all addresses of the executive while its threads make calls. Another thread changes
 * data that the executive copies.
 */
#include "tests/system/lib/guest.h"

#include <pthread.h>

#define EXECUTIVE ((uint8_t *)0x10c0000000ul)
#define SIZE 0x100000ul /* text, data, stacks */

static volatile int stop;
static volatile long calls;

static void *thread_calls(void *unused)
{
	const uint64_t second = (uint64_t)(uintptr_t)unused;

	while (!stop) {
		if (raw_getppid() != PROBE_VALUE || probe_id() < 0 || probe_run(second / 20000))
			failed("a call of the thread");
		calls++;
	}
	return NULL;
}

static void check_mappings(uint64_t second)
{
	static uint8_t *const places[] = { (uint8_t *)0x1000000000, (uint8_t *)0x1040000000,
					   (uint8_t *)0x1080000000, EXECUTIVE };
	pthread_t thread[2];
	const double end = seconds() + 1.5;

	for (int i = 0; i < 2; i++)
		EXPECT(!pthread_create(&thread[i], NULL, thread_calls, (void *)second));
	while (seconds() < end || (calls <= 10 && seconds() < end + 20))
		for (unsigned int i = 0; i < sizeof(places) / sizeof(*places); i++) {
			uint8_t *at = mmap(places[i], SIZE, PROT_READ | PROT_WRITE,
					   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

			EXPECT(at == places[i]);
			for (size_t k = 0; k < SIZE; k += 512)
				if (at[k])
					failed("address %p of the guest has %d", at + k, at[k]);
			memset(at, 0xcc, SIZE);
			EXPECT(!mprotect(at, SIZE, PROT_READ | PROT_EXEC));
			EQUAL(raw_getppid(), PROBE_VALUE);
			EXPECT(!mprotect(at, SIZE, PROT_NONE));
			EQUAL(raw_getppid(), PROBE_VALUE);
			EXPECT(!munmap(at, SIZE));
			EQUAL(raw_getppid(), PROBE_VALUE);
		}
	stop = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	EXPECT(calls > 10);
}

static uint8_t *volatile page;

static void *thread_maps(void *unused)
{
	while (!stop) {
		mprotect(page, 4096, PROT_NONE);
		mprotect(page, 4096, PROT_READ | PROT_WRITE);
		madvise(page, 4096, MADV_DONTNEED);
		for (int i = 0; i < 4096; i += 8)
			page[i] = (uint8_t)i;
	}
	return unused;
}

/* Checks sums of 8 bytes, some of which can have changed, or that the memory was missing. */
static void check_changes(void)
{
	pthread_t thread;
	long sums = 0, faults = 0;
	const double end = seconds() + 1;

	page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(page + 4096, 4096);
	stop = 0;
	EXPECT(!pthread_create(&thread, NULL, thread_maps, NULL));
	while (seconds() < end || (sums + faults <= 10 && seconds() < end + 20)) {
		const long sum = probe_sum(page + 64), edge = probe_sum(page + 4092);

		if (sum == LIMPET_EFAULT)
			faults++;
		else if (sum >= 0 && sum <= 255)
			sums++;
		else
			failed("the sum is %ld", sum);
		EQUAL(edge, LIMPET_EFAULT);
		const long status = probe_write(page + 128, -1);

		EXPECT(status == LIMPET_OK || status == LIMPET_EFAULT);
	}
	stop = 1;
	pthread_join(thread, NULL);
	EXPECT(sums + faults > 10);
}

int main(void)
{
	const uint64_t second = ticks_second();

	section("memory of the guest at the executive's addresses");
	check_mappings(second);
	section("memory that changes while the executive copies it");
	check_changes();
	probe_check();
	return sections_finish();
}
