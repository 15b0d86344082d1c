// SPDX-License-Identifier: BSD-2-Clause
/* Compares the runtime's memory functions, under other names, with the C library's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define BUFFER_SIZE 160
#define SIZE_LIMIT 70 /* bytes: several words and every remainder */

void *tested_memcpy(void *restrict to, const void *restrict from, size_t size);
void *tested_memmove(void *to, const void *from, size_t size);
void *tested_memset(void *to, int byte, size_t size);

static char got[BUFFER_SIZE], expected[BUFFER_SIZE], source[BUFFER_SIZE];

static void fill(void)
{
	for (unsigned int i = 0; i < BUFFER_SIZE; i++) {
		got[i] = expected[i] = (char)i;
		source[i] = (char)(i * 37 + 11);
	}
}

static void test_memcpy(void **state)
{
	(void)state;
	for (size_t to = 0; to < 17; to++)
		for (size_t from = 0; from < 17; from++)
			for (size_t size = 0; size < SIZE_LIMIT; size++) {
				fill();
				memcpy(expected + to, source + from, size);
				assert_ptr_equal(tested_memcpy(got + to, source + from, size),
						 got + to);
				assert_memory_equal(got, expected, BUFFER_SIZE);
			}
}

static void test_memset(void **state)
{
	static const int bytes[] = { 0, 1, 0x7f, 0xff, -1, 0x180 };

	(void)state;
	for (size_t to = 0; to < 17; to++)
		for (size_t size = 0; size < SIZE_LIMIT; size++)
			for (size_t i = 0; i < 6; i++) {
				fill();
				memset(expected + to, bytes[i], size);
				assert_ptr_equal(tested_memset(got + to, bytes[i], size), got + to);
				assert_memory_equal(got, expected, BUFFER_SIZE);
			}
}

/* Tests overlaps by every distance, in both directions. */
static void test_memmove(void **state)
{
	(void)state;
	for (size_t to = 0; to < SIZE_LIMIT; to++)
		for (size_t from = 0; from < SIZE_LIMIT; from++)
			for (size_t size = 0; size < SIZE_LIMIT; size++) {
				fill();
				memmove(expected + to, expected + from, size);
				assert_ptr_equal(tested_memmove(got + to, got + from, size),
						 got + to);
				assert_memory_equal(got, expected, BUFFER_SIZE);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memcpy),
		cmocka_unit_test(test_memset),
		cmocka_unit_test(test_memmove),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
