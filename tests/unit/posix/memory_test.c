// SPDX-License-Identifier: BSD-2-Clause
/* Compares random calls of mmap and related functions with a list of mappings. Tests clocks. */
#define _GNU_SOURCE
#include "fake.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

/* From clock.h, which has Linux's headers instead of the C library's. */
uint64_t clock_ns(uint64_t ticks);
uint64_t clock_ticks(uint64_t ns);

#define PAGE 4096ul
#define MAPPINGS 60

static struct mapping {
	uint8_t *at;
	unsigned long pages;
	uint8_t mark;
} mappings[MAPPINGS];

static bool holds(const struct mapping *m)
{
	for (unsigned long i = 0; i < m->pages; i++)
		if (m->at[i * PAGE] != m->mark || m->at[i * PAGE + PAGE - 1] != m->mark)
			return false;
	return true;
}

static bool zero(const uint8_t *at, size_t size)
{
	return !at[0] && !memcmp(at, at + 1, size - 1);
}

static void map(struct mapping *m)
{
	unsigned long pages = rand() % 20 ? rand() % 40 + 1ul : rand() % 600 + 1ul;
	int protection = rand() % 8 ? PROT_READ | PROT_WRITE : PROT_NONE;
	long got = SYS(SYS_mmap, 0, pages * PAGE - rand() % 4096, protection,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (got == -ENOMEM)
		return;
	assert_true(got > 0 && got % PAGE == 0);
	*m = (struct mapping){ (uint8_t *)got, pages, (uint8_t)(rand() | 1) };
	if (protection == PROT_NONE)
		assert_int_equal(SYS(SYS_mprotect, got, pages * PAGE, PROT_READ | PROT_WRITE), 0);
	assert_true(zero(m->at, pages * PAGE));
	memset(m->at, m->mark, pages * PAGE);
}

static void change(struct mapping *m)
{
	unsigned long pages = rand() % 80 + 1ul;
	long got;

	if (rand() % 3 == 0) { /* remove its end */
		pages = rand() % m->pages;
		assert_int_equal(SYS(SYS_munmap, m->at + pages * PAGE, (m->pages - pages) * PAGE),
				 0);
		m->pages = pages;
		return;
	}
	got = SYS(SYS_mremap, m->at, m->pages * PAGE, pages * PAGE, MREMAP_MAYMOVE);
	if (got == -ENOMEM)
		return;
	m->at = (uint8_t *)got;
	if (pages > m->pages) {
		assert_true(zero(m->at + m->pages * PAGE, (pages - m->pages) * PAGE));
		memset(m->at + m->pages * PAGE, m->mark, (pages - m->pages) * PAGE);
	}
	m->pages = pages;
}

static void test_random(void **state)
{
	(void)state;
	srand(17);
	for (int round = 0; round < 20000; round++) {
		struct mapping *m = &mappings[rand() % MAPPINGS];

		if (m->pages)
			assert_true(holds(m));
		if (!m->pages)
			map(m);
		else if (rand() % 3)
			change(m);
		else {
			assert_int_equal(SYS(SYS_munmap, m->at, m->pages * PAGE), 0);
			m->pages = 0;
		}
	}
	for (int i = 0; i < MAPPINGS; i++)
		if (mappings[i].pages)
			assert_int_equal(SYS(SYS_munmap, mappings[i].at, mappings[i].pages * PAGE),
					 0);
	assert_int_equal(fake_pages, 0);
	assert_int_equal(fake_allocations, 0);
}

static void test_refused(void **state)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	long at = SYS(SYS_mmap, 0, PAGE, PROT_READ | PROT_WRITE, flags, -1, 0);

	(void)state;
	assert_true(at > 0);
	assert_int_equal(SYS(SYS_mmap, 0, 0, PROT_READ, flags, -1, 0), -EINVAL);
	assert_int_equal(SYS(SYS_mmap, 0x1000, PAGE, PROT_READ, flags | MAP_FIXED, -1, 0), -EINVAL);
	assert_int_equal(SYS(SYS_mmap, 0, PAGE, PROT_READ, MAP_PRIVATE, 0, 0), -EBADF);
	assert_int_equal(SYS(SYS_mmap, 0, PAGE, PROT_READ | PROT_EXEC, flags, -1, 0), -EACCES);
	assert_int_equal(SYS(SYS_mmap, 0, 1ul << 40, PROT_READ, flags, -1, 0), -ENOMEM);
	assert_int_equal(SYS(SYS_mmap, 0, -1ul, PROT_READ, flags, -1, 0), -ENOMEM);
	assert_int_equal(SYS(SYS_munmap, at + 1, PAGE), -EINVAL);
	assert_int_equal(SYS(SYS_munmap, 0x1000, PAGE), -EINVAL);
	assert_int_equal(SYS(SYS_mprotect, 0x1000, PAGE, PROT_NONE), -ENOMEM);
	assert_int_equal(SYS(SYS_mremap, 0x1000, PAGE, PAGE, MREMAP_MAYMOVE), -EFAULT);
	assert_int_equal(SYS(SYS_munmap, at, PAGE), 0);
	assert_int_equal(fake_allocations, 0);
}

/* Mappings of more than 16 MiB are several reservations. Only the first of them fits into the lowest gap. */
static void test_large(void **state)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS, both = PROT_READ | PROT_WRITE;
	long small[3], large;

	(void)state;
	fake_quota = 12000;
	for (unsigned int i = 0; i < 3; i++)
		small[i] = SYS(SYS_mmap, 0, 3000 * PAGE, both, flags, -1, 0);
	assert_int_equal(SYS(SYS_munmap, small[1], 3000 * PAGE), 0);
	large = SYS(SYS_mmap, 0, 5000 * PAGE, both, flags, -1, 0);
	assert_int_equal(large,
			 small[2] + 3001 * PAGE); /* the bitmap of a large mapping is after it */
	assert_int_equal(fake_allocations, 4);
	assert_true(zero((uint8_t *)large, 5000 * PAGE));
	memset((void *)large, 1, 5000 * PAGE);
	assert_int_equal(SYS(SYS_mprotect, large + 2400 * PAGE, 200 * PAGE, PROT_READ), 0);
	assert_int_equal(SYS(SYS_munmap, large + 2000 * PAGE, 1000 * PAGE), 0);
	assert_int_equal(((uint8_t *)large)[2000 * PAGE - 1] + ((uint8_t *)large)[3000 * PAGE], 2);
	assert_int_equal(SYS(SYS_mmap, 0, 8000 * PAGE, both, flags, -1, 0), -ENOMEM);
	assert_int_equal(SYS(SYS_mmap, 0, 12000 * PAGE, both, flags, -1, 0), -ENOMEM);
	assert_int_equal(fake_allocations, 4);
	assert_int_equal(SYS(SYS_munmap, large, 2000 * PAGE), 0);
	assert_int_equal(SYS(SYS_munmap, large + 3000 * PAGE, 2000 * PAGE), 0);
	assert_int_equal(SYS(SYS_munmap, small[0], 3000 * PAGE), 0);
	assert_int_equal(SYS(SYS_munmap, small[2], 3000 * PAGE), 0);
	assert_int_equal(fake_allocations, 0);
}

/* Pages of a large mapping can be unmapped again, or replaced by MAP_FIXED. The others stay. */
static void test_large_parts(void **state)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS, both = PROT_READ | PROT_WRITE;
	const long size = 1024 * PAGE, half = size / 2;
	long at, high;

	(void)state;
	fake_quota = 12000;
	at = SYS(SYS_mmap, 0, size, both, flags, -1, 0);
	high = at + half;
	memset((void *)at, 1, size);
	assert_int_equal(SYS(SYS_munmap, at, half), 0);
	assert_int_equal(SYS(SYS_mincore, at, PAGE, (char[1]){ 0 }), -ENOMEM);
	assert_int_equal(SYS(SYS_mlock, at, size), -ENOMEM);
	assert_int_equal(SYS(SYS_mlock, high, half), 0);
	/* The library does not access unmapped memory. */
	assert_int_equal(SYS(SYS_madvise, at, PAGE, MADV_DONTNEED), -EINVAL);
	assert_int_equal(SYS(SYS_mremap, at, PAGE, 2 * PAGE, MREMAP_MAYMOVE), -EFAULT);
	assert_int_equal(SYS(SYS_mmap, at, half, both, flags | MAP_FIXED, -1, 0), at);
	assert_true(zero((uint8_t *)at, half));
	assert_int_equal(SYS(SYS_munmap, at, half), 0);
	assert_int_equal(SYS(SYS_munmap, at, half), 0);
	assert_int_equal(*(uint8_t *)high + *(uint8_t *)(at + size - 1), 2);
	/* A claimed page needs memory again. */
	fake_quota = fake_pages;
	assert_int_equal(SYS(SYS_mmap, at, PAGE, both, flags | MAP_FIXED, -1, 0), -ENOMEM);
	assert_int_equal(SYS(SYS_munmap, at, size), 0);
	assert_int_equal(fake_allocations, 0);
}

/* The library does not access memory that the program has made inaccessible. */
static void test_inaccessible(void **state)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS, both = PROT_READ | PROT_WRITE;

	(void)state;
	for (long pages = 4; pages <= 400; pages *= 100) {
		const long at = SYS(SYS_mmap, 0, pages * PAGE, both, flags, -1, 0);
		uint8_t *byte = (uint8_t *)at;

		*byte = 1;
		assert_int_equal(SYS(SYS_madvise, at, PAGE, MADV_DONTNEED), 0);
		assert_int_equal(*byte, 0);
		*byte = 1;
		assert_int_equal(SYS(SYS_mprotect, at, PAGE, PROT_NONE), 0);
		assert_int_equal(SYS(SYS_madvise, at, PAGE, MADV_DONTNEED), -EINVAL);
		assert_int_equal(SYS(SYS_madvise, at, PAGE, MADV_WILLNEED), 0);
		assert_int_equal(
			SYS(SYS_mremap, at, pages * PAGE, 2 * pages * PAGE, MREMAP_MAYMOVE),
			-EFAULT);
		assert_int_equal(*byte, 1);
		assert_int_equal(SYS(SYS_munmap, at, pages * PAGE), 0);
	}
	assert_int_equal(SYS(SYS_madvise, 0x1000, PAGE, MADV_DONTNEED), -ENOMEM);
	assert_int_equal(fake_allocations, 0);
}

/* A range can reach from one allocation of the memory manager into the next one. */
static void test_adjacent(void **state)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS, both = PROT_READ | PROT_WRITE;
	const long size = 256 * PAGE;
	long low, high;

	(void)state;
	fake_adjacent = true;
	low = SYS(SYS_mmap, 0, size, both, flags, -1, 0);
	high = SYS(SYS_mmap, 0, size, both, flags, -1, 0);
	assert_int_equal(high, low + size);
	assert_int_equal(SYS(SYS_mlock, low + size / 2, size), 0);
	assert_int_equal(SYS(SYS_mlock, low + 1, 2 * size - 1), 0);
	assert_int_equal(SYS(SYS_mlock, low, 2 * size + PAGE), -ENOMEM);
	assert_int_equal(SYS(SYS_munmap, high + size / 2, PAGE), 0);
	assert_int_equal(SYS(SYS_mlock, low, size + size / 2), 0);
	assert_int_equal(SYS(SYS_mlock, low, size + size / 2 + PAGE), -ENOMEM);
	assert_int_equal(SYS(SYS_munmap, low, size), 0);
	assert_int_equal(SYS(SYS_munmap, high, size / 2), 0);
	assert_int_equal(SYS(SYS_munmap, high + size / 2 + PAGE, size / 2 - PAGE), 0);
	assert_int_equal(fake_allocations, 0);
}

static void test_clock(void **state)
{
	struct timespec time = { 0, 0 };
	uint64_t before = fake_time;

	(void)state;
	for (int i = 0; i < 10000; i++) {
		uint64_t ticks = ((uint64_t)rand() << 31 | (uint64_t)rand()) >> rand() % 40;
		unsigned __int128 ns = (unsigned __int128)ticks * 1000000 / FAKE_TICKS_PER_MS;

		assert_true(clock_ns(ticks) == (uint64_t)ns);
		assert_true(clock_ticks(clock_ns(ticks)) <= ticks &&
			    clock_ticks(clock_ns(ticks) + 1) > ticks);
	}
	assert_true(clock_ticks(UINT64_MAX) == UINT64_MAX);
	time.tv_nsec = 1500;
	assert_int_equal(SYS(SYS_nanosleep, &time, 0), 0);
	assert_int_equal(fake_time - before, 1500 * FAKE_TICKS_PER_MS / 1000000);
	time = (struct timespec){ 7, 5 };
	assert_int_equal(SYS(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &time, 0), 0);
	assert_int_equal(clock_ns(fake_time), 7000000005);
	time = (struct timespec){ 1000000, 0 };
	assert_int_equal(SYS(SYS_clock_settime, CLOCK_REALTIME, &time), 0);
	time = (struct timespec){ 1000001, 0 };
	assert_int_equal(SYS(SYS_clock_nanosleep, CLOCK_REALTIME, TIMER_ABSTIME, &time, 0), 0);
	assert_int_equal(clock_ns(fake_time), 8000000005);
	assert_int_equal(SYS(SYS_clock_gettime, CLOCK_REALTIME, &time), 0);
	assert_int_equal(time.tv_sec, 1000001);
	time.tv_nsec = 1000000000;
	assert_int_equal(SYS(SYS_nanosleep, &time, 0), -EINVAL);
	assert_int_equal(SYS(SYS_clock_nanosleep, 77, 0, &time, 0), -EINVAL);
	assert_int_equal(SYS(SYS_clock_gettime, 77, &time), -EINVAL);
	assert_int_equal(SYS(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &time), 0);
	assert_int_equal(time.tv_nsec, (2 + 3 + 4 + 5) * 1000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_random, fake_begin),
		cmocka_unit_test_setup(test_refused, fake_begin),
		cmocka_unit_test_setup(test_large, fake_begin),
		cmocka_unit_test_setup(test_large_parts, fake_begin),
		cmocka_unit_test_setup(test_inaccessible, fake_begin),
		cmocka_unit_test_setup(test_adjacent, fake_begin),
		cmocka_unit_test_setup(test_clock, fake_begin),
	};

	return cmocka_run_group_tests_name("posix memory and clocks", tests, NULL, NULL);
}
