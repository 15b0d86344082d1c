// SPDX-License-Identifier: GPL-2.0
/*
 * Tests GUEST_COPY: the executive reads and writes 8 bytes of the guest, at valid and invalid
 * addresses.
 */
#include "tests/system/lib/guest.h"

#define PAGE 4096l

static uint8_t *pages(int count, int protection)
{
	uint8_t *at =
		mmap(NULL, (size_t)(count * PAGE), protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	return at;
}

static long sum_of(const uint8_t *at)
{
	long sum = 0;

	for (int i = 0; i < 8; i++)
		sum += at[i];
	return sum;
}

static void check_good(void)
{
	uint8_t *two = pages(2, PROT_READ | PROT_WRITE);
	uint64_t word;

	section("memory that was never touched");
	EQUAL(probe_sum(two), 0);
	EQUAL(probe_write(two + PAGE, 0x0102030405060708), 0);
	EQUAL(*(uint64_t *)(two + PAGE), 0x0102030405060708);
	section("every position around the end of a page");
	for (long at = PAGE - 9; at <= PAGE + 1; at++) {
		memset(two, 0x5a, (size_t)(2 * PAGE));
		EQUAL(probe_write(two + at, 0x1122334455667788), 0);
		memcpy(&word, two + at, 8);
		EQUAL(word, 0x1122334455667788);
		EQUAL(two[at - 1], 0x5a);
		EQUAL(two[at + 8], 0x5a);
		EQUAL(probe_sum(two + at), sum_of(two + at));
	}
	section("the stack, and a word of the program");
	word = 0x0101010101010101;
	EQUAL(probe_sum(&word), 8);
	EQUAL(probe_write(&word, 77), 0);
	EQUAL(*(volatile uint64_t *)&word, 77);
	munmap(two, (size_t)(2 * PAGE));
}

static void check_bad(void)
{
	uint8_t *two = pages(2, PROT_READ | PROT_WRITE);
	const uintptr_t bad[] = { 0,
				  8,
				  0xfff,
				  (1ul << 47) - PAGE,
				  (1ul << 47) - 4,
				  1ul << 47,
				  1ul << 63,
				  -1ul << 47,
				  -8ul,
				  -1ul,
				  0xffffffffff600000,
				  0xffff888000000000 };

	memset(two, 3, (size_t)(2 * PAGE));
	section("addresses without memory");
	for (unsigned int i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		EQUAL(probe_sum((void *)bad[i]), LIMPET_EFAULT);
		EQUAL(probe_write((void *)bad[i], 1), LIMPET_EFAULT);
	}
	section("read-only memory is read, not written");
	EQUAL(mprotect(two, (size_t)PAGE, PROT_READ), 0);
	EQUAL(probe_sum(two), 24);
	EQUAL(probe_write(two, 1), LIMPET_EFAULT);
	EQUAL(sum_of(two), 24);
	EQUAL(probe_write((void *)check_bad, 1), LIMPET_EFAULT);
	section("memory without rights");
	EQUAL(mprotect(two + PAGE, (size_t)PAGE, PROT_NONE), 0);
	EQUAL(probe_sum(two + PAGE), LIMPET_EFAULT);
	EQUAL(probe_sum(two + PAGE - 4), LIMPET_EFAULT);
	EQUAL(probe_write(two + PAGE - 4, 1), LIMPET_EFAULT);
	section("memory that was unmapped");
	munmap(two, (size_t)(2 * PAGE));
	EQUAL(probe_sum(two), LIMPET_EFAULT);
	EQUAL(probe_write(two, 1), LIMPET_EFAULT);
}

static void check_sharing(void)
{
	volatile uint64_t *shared, *private;
	pid_t pid;

	section("a write into memory that is shared after fork copies it first");
	private = (void *)pages(1, PROT_READ | PROT_WRITE);
	shared =
		mmap(NULL, (size_t)PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	*private = *shared = 1;
	pid = fork();
	if (!pid) {
		EQUAL(probe_write(private, 2), 0);
		EQUAL(probe_write(shared, 2), 0);
		EQUAL(*private, 2);
		child_exit();
	}
	GOOD(pid);
	EQUAL(*private, 1);
	EQUAL(*shared, 2);
}

/* Tests memory of the guest at addresses that the executive also uses. */
static void check_own(void)
{
	volatile uint8_t *at = mmap((void *)0x10c0000000, (size_t)PAGE, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	section("an address that the executive has, too, is the guest's");
	if (at == MAP_FAILED)
		return; /* this program itself uses that address */
	memset((void *)at, 1, 8);
	EQUAL(probe_sum(at), 8);
	EQUAL(probe_write(at, 0), 0);
	EQUAL(probe_sum(at), 0);
	munmap((void *)at, (size_t)PAGE);
	EQUAL(probe_sum(at), LIMPET_EFAULT);
}

int main(void)
{
	check_good();
	check_bad();
	check_sharing();
	check_own();
	probe_check();
	return sections_finish();
}
