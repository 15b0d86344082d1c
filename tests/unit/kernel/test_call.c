// SPDX-License-Identifier: GPL-2.0
/* Tests the dispatcher: numbers, and what all calls have in common. */
#include "objects.h"

static void test_unknown_calls(void **state)
{
	const word none[6] = { 0 };

	(void)state;
	assert_status(call_words(LIMPET_CALL_COUNT, none), ECALL);
	assert_status(call_words(LIMPET_CALL_RETURN, none), ECALL); /* has its own fast path */
	assert_status(call_words(~0ul, none), ECALL);
	assert_status(call_words(1ul << 32 | LIMPET_CALL_NOP, none), ECALL);
}

static void test_nop(void **state)
{
	word ip = user->ip;
	u64 calls = cpu->calls;

	(void)state;
	assert_ok(call(NOP));
	assert_int_equal(cpu->calls, calls + 1);
	assert_int_equal(user->ip, ip + INSTRUCTION);
}

/* Words that a call does not use are ignored and kept. */
static void test_words_kept(void **state)
{
	(void)state;
	assert_ok(call(NOP, 1, 2, 3, 4, 5, 6));
	for (unsigned int i = 0; i < 6; i++)
		assert_int_equal(user->words[i], i + 1);
	assert_ok(call(CAP_INFO, T, T, 3, 4, 5, 6));
	for (unsigned int i = 3; i < 6; i++)
		assert_int_equal(user->words[i], i + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_unknown_calls),
		TEST(test_nop),
		TEST(test_words_kept),
	};

	return RUN("call", tests);
}
