// SPDX-License-Identifier: GPL-2.0
/*
 * Tests system call numbers without a bit of their own in a filter. Linux reads only 32 bits of the
 * number, so a number with more bits must not pass a filter that has the call. Argument: seen or
 * unseen (the filter's last bit).
 */
#include "tests/system/lib/guest.h"

static bool seen;

/* Checks the number of calls that the executive gets by one call with this number. */
static void check_number(uint64_t number, long wanted)
{
	const long before = probe_counter(CALLS), result = raw((long)number, 0, 0, 0);
	const long got = probe_counter(CALLS) - before - 1;

	if (result != wanted)
		failed("call 0x%lx returns %ld, not %ld", number, result, wanted);
	if (got != seen)
		failed("call 0x%lx is seen %ld times, not %d", number, got, seen);
}

/* Tests numbers that Linux executes as getppid. */
static void check_long_numbers(void)
{
	static const uint64_t high[] = { 1ull << 32, 1ull << 63, 0xffffffffull << 32,
					 0x12345678ull << 32 };

	for (unsigned int i = 0; i < sizeof(high) / sizeof(*high); i++) {
		const long before = probe_counter(CALLS),
			   result = raw((long)(high[i] | SYS_getppid), 0, 0, 0);

		if (result != PROBE_VALUE)
			failed("call 0x%lx returns %ld, not the executive's %d",
			       high[i] | SYS_getppid, result, PROBE_VALUE);
		EQUAL(probe_counter(CALLS) - before - 1, 1);
	}
}

int main(int argc, char **argv)
{
	static const uint64_t none[] = { 511,
					 512,
					 513,
					 1000,
					 4095,
					 0x7fff,
					 0x8000,
					 0xffff,
					 0x10000 + 110,
					 0x7fffffff,
					 0x80000000,
					 0xffffffff,
					 -1ull,
					 -2ull,
					 -110ull,
					 1ull << 31,
					 1ull << 30,
					 0x40000000 + 39,
					 0x40000000 + 110,
					 0x40000000 + 512,
					 0x40000000 + 547 };

	seen = argc > 1 && !strcmp(argv[1], "seen");
	section("numbers without a call");
	for (unsigned int i = 0; i < sizeof(none) / sizeof(*none); i++)
		check_number(none[i], -ENOSYS);
	section("getppid by a number of more than 32 bits is the executive's");
	check_long_numbers();
	section("the last numbers with a bit of their own");
	seen = true;
	check_number(492, -ENOSYS);
	check_number(491, -ENOSYS);
	probe_check();
	return sections_finish();
}
