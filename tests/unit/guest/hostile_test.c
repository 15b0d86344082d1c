// SPDX-License-Identifier: GPL-2.0
/* Tests hostile programs: memory that fails, changes or has no end, and invalid arguments, results and numbers. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <guest/numbers.h>

#include "memory.h"

#define NUMBER_MAX 1000
#define ROUNDS 200
#define COPIES_MAX                                                                                 \
	8400 /* for the longest lists: argv and 4096 variables, or 4096 directory entries */
#define REGION 2048ul /* of memory for each argument */

static word random_word(void)
{
	return (word)random() << 62 ^ (word)random() << 31 ^ (word)random();
}

/* Returns a word that is likely to be invalid. */
static word argument_random(void)
{
	static const word odd[] = { 0,
				    1,
				    8,
				    32,
				    33,
				    4095,
				    ~0ul,
				    ~0ul - 7,
				    INT_MAX,
				    1ul << 31,
				    UINT_MAX,
				    LONG_MAX,
				    1ul << 63,
				    MEMORY_BASE,
				    MEMORY_BASE - 1,
				    MEMORY_BASE + 4095,
				    MEMORY_BASE + MEMORY_SIZE - 1,
				    MEMORY_BASE + MEMORY_SIZE };

	switch (random() % 4) {
	case 0:
		return random_word();
	case 1:
		return MEMORY_BASE + (word)random() % MEMORY_SIZE;
	case 2:
		return (word)random() % 100;
	default:
		return odd[(word)random() % array_size(odd)];
	}
}

static void memory_random(void)
{
	for (word i = 0; i < MEMORY_SIZE; i++)
		traced.bytes[i] = random() % 3 ? (unsigned char)random() : 0;
	/* Puts pointers into the memory itself. */
	for (word i = 0; i < MEMORY_SIZE; i += 8 * (1 + (word)random() % 8))
		*(word *)(traced.bytes + i) = argument_random();
}

static void text_check(const char *text)
{
	for (; *text; text++)
		assert_true(*text >= ' ' && *text <= '~');
}

static void try(long number, size_t size)
{
	word arguments[GUEST_ARGUMENTS];
	long results[] = { 0, -4, -14, 1, 5, 100, INT_MAX, LONG_MIN, (long)random_word() };

	for (unsigned int i = 0; i < GUEST_ARGUMENTS; i++)
		arguments[i] = argument_random();
	traced.copies = 0;
	text_check(traced_text(size, number, arguments,
			       results[(word)random() % array_size(results)]));
	assert_in_range(traced.copies, 0, COPIES_MAX);
}

static void test_all_numbers(void **state)
{
	(void)state;
	for (unsigned int seed = 1; seed <= ROUNDS; seed++) {
		srandom(seed);
		traced_clear();
		memory_random();
		traced.changes = seed % 2;
		for (long number = -1; number <= NUMBER_MAX; number++)
			try(number, 1 + (size_t)random() % 3000);
		try(LONG_MIN, 100);
		try(LONG_MAX, 100);
	}
}

/*
 * Each argument points to a separate region, in which text and lists end, so no byte must be copied
 * twice.
 */
static void test_copies_once(void **state)
{
	word arguments[GUEST_ARGUMENTS];

	(void)state;
	srandom(1);
	for (long number = 0; number < guest_call_end(); number++) {
		for (unsigned int i = 0; i < GUEST_ARGUMENTS; i++)
			arguments[i] = MEMORY_BASE + i * REGION;
		traced_clear();
		for (word i = 0; i < MEMORY_SIZE; i++)
			traced.bytes[i] =
				i % REGION / 16 == 12 ? 0 : (unsigned char)(1 + random() % 0x6f);
		traced_text(16384, number, arguments, 3);
		assert_int_equal(traced.twice, 0);
	}
}

/* Prints the text of the same call while the copy with each index fails. */
static void fault_each_copy(long number, const word *arguments, long result)
{
	long copies;

	traced.fails_at = -1;
	traced.copies = 0;
	traced_text(16384, number, arguments, result);
	copies = traced.copies;
	for (long at = 0; at < copies; at++) {
		traced.fails_at = at;
		traced.copies = 0;
		text_check(traced_text(16384, number, arguments, result));
		assert_true(traced.copies <= copies + 1);
	}
}

static void test_faults(void **state)
{
	word arguments[GUEST_ARGUMENTS];

	(void)state;
	for (long number = 0; number < guest_call_end(); number++) {
		srandom((unsigned int)number + 1);
		traced_clear();
		memory_random();
		for (unsigned int i = 0; i < GUEST_ARGUMENTS; i++)
			arguments[i] = random() % 2 ? MEMORY_BASE + i * REGION
						    : (word)random() % 50;
		fault_each_copy(number, arguments, random() % 2 ? 20 : -4);
	}
}

/* Text without an end is printed up to its limit, with few copies. */
static void test_unterminated(void **state)
{
	char wanted[5000];

	(void)state;
	traced_clear();
	memset(traced.bytes, 'x', MEMORY_SIZE);
	memset(wanted, 'x', sizeof(wanted));
	memcpy(wanted, "chdir(\"", 7);
	strcpy(wanted + 7 + 4095, "\"...) = 0");
	assert_string_equal(TEXT(0, chdir, MEMORY_BASE + 1), wanted);
	assert_in_range(traced.copies, 1, 70);
	assert_string_equal(TEXT(0, memfd_create, MEMORY_BASE + 5, 0),
			    "memfd_create(\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"..., 0) = 0");
	assert_string_equal(TEXT(0, chdir, MEMORY_BASE + MEMORY_SIZE - 4000),
			    "chdir(0x700000003060) = 0");
}

/* Tests lists and buffers with huge lengths. */
static void test_huge(void **state)
{
	(void)state;
	traced_clear();
	assert_string_equal(
		TEXT(LONG_MAX, write, 1, MEMORY_BASE, ~0ul),
		"write(1, \"\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\"..., "
		"18446744073709551615) = 9223372036854775807");
	traced.copies = 0;
	text_check(TEXT(1, writev, 1, MEMORY_BASE, ~0ul));
	assert_in_range(traced.copies, 32, 32);
	traced.copies = 0;
	text_check(TEXT(INT_MAX, poll, MEMORY_BASE, ~0ul, 0));
	assert_in_range(traced.copies, 32, 2000);
	traced.copies = 0;
	text_check(TEXT(INT_MAX, getdents64, 3, MEMORY_BASE, ~0ul));
	assert_int_equal(traced.copies, 1); /* a length of 0 */
	memset(traced.bytes, 1, MEMORY_SIZE);
	assert_string_equal(TEXT(0, connect, 3, ~0ul - 8, 100),
			    "connect(3, 0xfffffffffffffff7, 100) = 0");
	traced.copies = 0;
	text_check(TEXT(0, execve, MEMORY_BASE, MEMORY_BASE, MEMORY_BASE));
	assert_in_range(traced.copies, 2048, COPIES_MAX);
}

/* Lists in memory that has no end are bounded. */
static void test_endless(void **state)
{
	(void)state;
	traced_clear();
	traced.endless = true;
	memset(traced.bytes, 24, MEMORY_SIZE);
	assert_non_null(
		strstr(TEXT(0, execve, 0, 0, MEMORY_BASE), " /* 4096 vars, unterminated */"));
	assert_int_equal(traced.copies, 4096);
	traced.copies = 0;
	text_check(TEXT(0, execve, MEMORY_BASE, MEMORY_BASE, MEMORY_BASE));
	assert_in_range(traced.copies, 4096, COPIES_MAX);
	traced.copies = 0;
	text_check(TEXT(INT_MAX, getdents64, 3, MEMORY_BASE, INT_MAX));
	assert_int_equal(traced.copies, 4096);
	traced.copies = 0;
	memset(traced.bytes, 0, MEMORY_SIZE);
	text_check(TEXT(INT_MAX, poll, MEMORY_BASE, INT_MAX, 0));
	assert_in_range(traced.copies, 1024, 1100);
}

/* In each smaller buffer, the text is the start of the complete text. */
static void test_buffer_sizes(void **state)
{
	const word arguments[GUEST_ARGUMENTS] = { MEMORY_BASE, 3, 100 };
	char whole[1000];

	(void)state;
	for (long number = 0; number < guest_call_end(); number++) {
		traced_clear();
		traced.bytes[0] = traced.bytes[4] = 2;
		strcpy(whole, traced_text(sizeof(whole), number, arguments, 2));
		for (size_t size = 1; size <= strlen(whole); size++)
			assert_memory_equal(traced_text(size, number, arguments, 2), whole,
					    size - 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_numbers),  cmocka_unit_test(test_copies_once),
		cmocka_unit_test(test_faults),	     cmocka_unit_test(test_unterminated),
		cmocka_unit_test(test_huge),	     cmocka_unit_test(test_endless),
		cmocka_unit_test(test_buffer_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
