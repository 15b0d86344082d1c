// SPDX-License-Identifier: GPL-2.0
/* The CPU capability, and what comes from the host. */
#include "objects.h"

static void test_info(void **state)
{
	(void)state;
	assert_status(call(CPU_INFO, EMPTY, LIMPET_CPU_IDENTITY), ESLOT);
	assert_status(call(CPU_INFO, T, LIMPET_CPU_IDENTITY), ETYPE);
	assert_status(call(CPU_INFO, LIMPET_BOOT_CPU, 3), ERANGE);
	assert_status(call(CPU_INFO, LIMPET_BOOT_CPU, 1ul << 32), ERANGE);
	machine_play(1);
	assert_ok(call(CPU_INFO, weaker(LIMPET_BOOT_CPU, 0), LIMPET_CPU_IDENTITY));
	assert_int_equal(user->words[0], 1);
	assert_int_equal(user->words[1], 2);
	fake_processor->time = 123456;
	assert_ok(call(CPU_INFO, LIMPET_BOOT_CPU, LIMPET_CPU_TIME));
	assert_int_equal(user->words[0], 123456);
	assert_int_equal(user->words[1], 1000);
	assert_ok(call(CPU_INFO, LIMPET_BOOT_CPU, LIMPET_CPU_THREAD));
	assert_int_equal(user->words[0], thread_size(0));
	assert_int_equal(user->words[1], sizeof(struct invocation));
}

static void print(const char text[40])
{
	word words[6] = { LIMPET_BOOT_CPU };

	memcpy(&words[1], text, 40);
	assert_ok(call_words(LIMPET_CALL_CPU_PRINT, words));
}

static void test_print(void **state)
{
	(void)state;
	assert_status(call(CPU_PRINT, EMPTY), ESLOT);
	assert_status(call(CPU_PRINT, T), ETYPE);
	assert_status(call(CPU_PRINT, weaker(LIMPET_BOOT_CPU, LIMPET_READ)), ERIGHTS);
	print("hello, \0ignored                        ");
	print("0123456789012345678901234567890123456789");
	assert_true(cpu->host.pending & HOST_PRINT);
	host_serve();
	assert_int_equal(host->length, 47);
	assert_memory_equal(host->print, "hello, 0123456789012345678901234567890123456789", 47);
}

/* What the host does not take in time is lost, and nothing else. */
static void test_print_too_much(void **state)
{
	const word x = 0x7878787878787878ul;

	(void)state;
	for (unsigned int i = 0; i < 40; i++) {
		const word words[6] = { LIMPET_BOOT_CPU, x, x, x, x, x };

		for (unsigned int n = 0; n < 6; n++)
			hal_regs_set_word(&cpu->thread->regs, n, words[n]);
		kernel_call(cpu, LIMPET_CALL_CPU_PRINT);
	}
	assert_int_equal(cpu->host.print_length, HOST_PRINT_MAX);
	assert_int_equal(cpu->host.notify[0], 0);
	host_serve();
	assert_int_equal(host->length, HOST_PRINT_MAX);
}

/* The host asks for its share of the CPU, or for the end. */
static void test_host_requests(void **state)
{
	(void)state;
	hal_or(&cpu->inbox.requests, HOST_SHARE);
	interrupt();
	assert_true(cpu->host.pending & HOST_SHARE);
	host_serve();
	assert_int_equal(host->shares, 1);
	assert_int_equal(cpu->host.pending, 0);
	hal_or(&cpu->inbox.requests, HOST_END);
	interrupt();
	assert_true(cpu->host.pending & HOST_END);
}

/* The capability to the CPU can go; the CPU does not. */
static void test_capability_goes(void **state)
{
	word ep = object_new(LIMPET_ENDPOINT, 1);

	(void)state;
	assert_ok(call(ENDPOINT_BIND, ep, LIMPET_BOOT_THREAD));
	assert_ok(call(CPU_TIMER, LIMPET_BOOT_CPU, ep));
	assert_ok(delete_all(LIMPET_BOOT_CPU));
	call(ENDPOINT_RECEIVE, ep, fake_processor->time + 10, 0);
	time_pass(10);
	assert_int_equal(user->words[0], LIMPET_EVENT_TIMER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST_TWO(test_info),	  TEST(test_print),	      TEST(test_print_too_much),
		TEST(test_host_requests), TEST(test_capability_goes),
	};

	return RUN("cpu", tests);
}
