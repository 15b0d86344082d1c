// SPDX-License-Identifier: GPL-2.0
/* Tests the table of calls by number and by name. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <guest/calls.h>
#include <guest/numbers.h>

static void test_names(void **state)
{
	unsigned int calls = 0;

	(void)state;
	for (long number = 0; number < guest_call_end(); number++) {
		const struct guest_call *call = guest_call_at(number);

		if (!call)
			continue;
		assert_int_equal(guest_call_number(call->name), number);
		calls++;
	}
	assert_true(calls > 370);
	assert_int_equal(guest_call_number("openat"), GUEST_CALL_openat);
	assert_int_equal(guest_call_number("open"), GUEST_CALL_open);
	assert_int_equal(guest_call_number(""), LIMPET_ENOENT);
	assert_int_equal(guest_call_number("openatx"), LIMPET_ENOENT);
}

static void test_numbers(void **state)
{
	(void)state;
	assert_null(guest_call_at(-1));
	assert_null(guest_call_at(LONG_MIN));
	assert_null(guest_call_at(LONG_MAX));
	assert_null(guest_call_at(guest_call_end()));
	assert_non_null(guest_call_at(guest_call_end() - 1));
	assert_null(guest_call_at(
		400)); /* no call of x86-64 has a number from 336 to 423, except those of other machines */
}

static void test_arguments(void **state)
{
	const struct guest_call *call = guest_call_at(GUEST_CALL_openat);

	(void)state;
	assert_string_equal(call->name, "openat");
	assert_int_equal(call->count, 4);
	assert_int_equal(call->returns, GUEST_RETURNS_FD);
	assert_int_equal(guest_call_argument(call, 0)->kind, GUEST_DIRFD);
	assert_int_equal(guest_call_argument(call, 1)->kind, GUEST_PATH);
	assert_string_equal(guest_call_argument(call, 1)->name, "filename");
	assert_int_equal(guest_call_argument(call, 2)->kind, GUEST_FLAGS);
	assert_int_equal(guest_call_argument(call, 2)->of, GUEST_SET_O);
	assert_int_equal(guest_call_argument(call, 3)->kind, GUEST_MODE);
	assert_null(guest_call_argument(call, 4));
	assert_null(guest_call_argument(call, UINT_MAX));
}

/* Checks what the printer assumes about the table: registers, sizes, and links to other arguments. */
static void test_links(void **state)
{
	(void)state;
	for (long number = 0; number < guest_call_end(); number++) {
		const struct guest_call *call = guest_call_at(number);

		for (unsigned int i = 0; call && i < call->count; i++) {
			const struct guest_value *value = guest_call_argument(call, i);

			assert_int_equal(value->at, i);
			assert_true(value->size == 4 || value->size == 8);
			if (value->link >= 0 && value->link < GUEST_LINK_CONSTANT)
				assert_true(value->link < call->count);
			assert_true(value->only < call->count);
			assert_true(value->kind != GUEST_SOCKADDR ||
				    (value->link >= 0 && value->link < call->count));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_links),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
