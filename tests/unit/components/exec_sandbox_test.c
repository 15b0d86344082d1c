// SPDX-License-Identifier: BSD-2-Clause
/* Tests the policy, refusals and reports of exec.sandbox. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <guest/numbers.h>
#include <runtime/component.h>

#include "sandbox_guest.h"

/* --- the policy */

static void test_policy_errors(void **state)
{
	static const struct {
		const char *text;
		unsigned int line;
		const char *why;
	} wrong[] = {
		{ "permit read\n", 1, "is not a rule" },
		{ "default\n", 1, "needs allow, deny or kill" },
		{ "\n\ndefault allow deny\n", 3, "has more than one word" },
		{ "allow read\nallow reed\n", 2, "names a call" },
		{ "deny aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		  1, "names a call" },
		{ "read usr\n", 1, "needs absolute paths" },
		{ "read /usr/../etc\n", 1, "has a path with" },
		{ "write /usr//lib", 1, "has a path with" },
		{ "relative see\n", 1, "needs read, write or execute" },
		{ "refusal allow\n", 1, "needs deny or kill" },
		{ "connect\n", 1, "needs unix" },
		{ "connect 256\n", 1, "needs unix" },
		{ "connect unix 1.2.3.4\n", 1, "can only have an address" },
		{ "connect inet 1.2.3\n", 1, "can only have an address" },
		{ "connect inet 1.2.3.4.5\n", 1, "can only have an address" },
		{ "connect inet 1.2.3.256\n", 1, "can only have an address" },
		{ "connect inet 1.2.3.4/33\n", 1, "can only have an address" },
		{ "connect inet 1.2.3.4/8\n", 1, "can only have an address" },
		{ "connect inet 1.2.3.4/\n", 1, "can only have an address" },
		{ "bind inet 1.2.3.4 65536\n", 1, "has a port" },
		{ "bind inet 1.2.3.4 99999999999999999999999\n", 1, "has a port" },
		{ "bind inet 1.2.3.4 80 81\n", 1, "has words behind" },
	};
	const char *why = NULL;

	(void)state;
	for (unsigned int i = 0; i < array_size(wrong); i++) {
		char *exact = malloc(strlen(wrong[i].text));

		memcpy(exact, wrong[i].text, strlen(wrong[i].text));
		assert_int_equal(policy_read(exact, strlen(wrong[i].text), &why), wrong[i].line);
		assert_non_null(strstr(why, wrong[i].why));
		free(exact);
	}
	assert_int_equal(policy_read("", 0, &why), 0);
	assert_int_equal(policy.action[GUEST_CALL_read], ACTION_DENY);
}

static void test_policy_full(void **state)
{
	char text[8000] = "";
	const char *why;

	(void)state;
	for (unsigned int i = 0; i < PATH_RULES; i++)
		strcat(text, "read /a\n");
	assert_int_equal(policy_read(text, strlen(text), &why), 0);
	strcat(text, "read /b\n");
	assert_int_equal(policy_read(text, strlen(text), &why), PATH_RULES + 1);
	text[0] = 0;
	for (unsigned int i = 0; i <= ADDRESS_RULES; i++)
		strcat(text, "bind unix\n");
	assert_int_equal(policy_read(text, strlen(text), &why), ADDRESS_RULES + 1);
}

/* Without a valid policy no guest is served. */
static void test_load(void **state)
{
	(void)state;
	assert_false(sandbox_start("allow read\nnonsense\n"));
	assert_string_equal(fake_text(),
			    "sandbox.toml:2: the line is not a rule: no guest is served\n");
	assert_int_equal(fake_kinds, 0);
	sandbox_start(sandbox_policy);
	fake_reset();
	fake_info.heap = (uint64_t)sandbox_heap;
	fake_info.heap_size = sizeof(sandbox_heap);
	assert_false(fake_main());
	assert_string_equal(fake_text(),
			    "the ramdisk has no file sandbox.toml: no guest is served\n");
}

static bool in_filter(word number)
{
	return fake_filter[number / 64] >> number % 64 & 1;
}

static void test_filter(void **state)
{
	(void)state;
	assert_false(in_filter(GUEST_CALL_read));
	assert_false(in_filter(GUEST_CALL_getpid));
	assert_true(in_filter(GUEST_CALL_getppid));
	assert_true(in_filter(GUEST_CALL_sync));
	assert_true(in_filter(GUEST_CALL_openat));
	assert_true(in_filter(GUEST_CALL_munmap));
	assert_true(in_filter(GUEST_CALL_connect));
	assert_true(in_filter(GUEST_CALL_prctl));
	assert_true(in_filter(GUEST_CALL_socket));
	assert_true(in_filter(GUEST_CALL_io_uring_setup));
	assert_true(in_filter(NUMBERS - 2)); /* an unknown call */
	assert_true(in_filter(LIMPET_GUEST_FILTER_REST));
}

static void test_actions(void **state)
{
	struct executive_answer a;

	(void)state;
	assert_answer(fake_call(ID, GUEST_CALL_read, 0, 0, 0, 0, 0, 0), PASS);
	a = fake_call(ID, GUEST_CALL_getppid, 0, 0, 0, 0, 0, 0);
	assert_answer(a, KILL);
	assert_int_equal(a.value, LINUX_SIGSYS);
	assert_served(fake_call(ID, GUEST_CALL_sync, 0, 0, 0, 0, 0, 0), REFUSED);
	assert_served(fake_call(ID, GUEST_CALL_io_uring_setup, 0, 0, 0, 0, 0, 0), REFUSED);
	assert_served(fake_call(ID, GUEST_CALL_ptrace, 0, 0, 0, 0, 0, 0), REFUSED);
	assert_served(fake_call(ID, GUEST_CALL_uselib, 0, 0, 0, 0, 0, 0), REFUSED);
	assert_served(fake_call(ID, GUEST_CALL_fanotify_init, 0, 0, 0, 0, 0, 0), REFUSED);
	assert_served(fake_call(ID, 500, 0, 0, 0, 0, 0, 0), REFUSED);
	assert_served(fake_call(ID, ~0ul, 0, 0, 0, 0, 0, 0), REFUSED);
	/* open of the x32 ABI, and open with bits that Linux ignores */
	assert_served(fake_call(ID, 0x40000000 | GUEST_CALL_open, AT, 0, 0, 0, 0, 0), REFUSED);
	fake_put_text(AT, "/etc/shadow");
	assert_served(fake_call(ID, 1ul << 32 | GUEST_CALL_open, AT, 0, 0, 0, 0, 0), REFUSED);
	assert_answer(fake_event(LIMPET_GUEST_CALL, LIMPET_GUESTS_MAX, 0, 0, 0, 0), KILL);
}

static void test_default_deny(void **state)
{
	struct executive_answer a;

	(void)state;
	sandbox_start("default kill\nallow read\nallow ptrace\nrefusal kill\nallow open\n");
	fake_event(LIMPET_GUEST_BEGIN, ID, 100, 90, 0, LIMPET_GUEST_BY_ENTER);
	assert_answer(fake_call(ID, GUEST_CALL_read, 0, 0, 0, 0, 0, 0), PASS);
	assert_answer(fake_call(ID, GUEST_CALL_ptrace, 0, 0, 0, 0, 0, 0), PASS);
	assert_answer(fake_call(ID, GUEST_CALL_write, 0, 0, 0, 0, 0, 0), KILL);
	a = path_call(GUEST_CALL_open, "/x", 0, 0);
	assert_answer(a, KILL);
	assert_true(in_filter(GUEST_CALL_write));
}

static void test_report(void **state)
{
	(void)state;
	path_call(GUEST_CALL_open, "/etc/\n\033[1mx", 0, 0);
	fake_call(ID, 500, 0, 0, 0, 0, 0, 0);
	fake_call(ID, GUEST_CALL_getppid, 0, 0, 0, 0, 0, 0);
	fake_main();
	assert_string_equal(fake_text(), "100: refused open /etc/??[1mx\n"
					 "100: refused an unknown call \n"
					 "100: killed for getppid \n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SANDBOX_TEST(test_policy_errors), SANDBOX_TEST(test_policy_full),
		SANDBOX_TEST(test_load),	  SANDBOX_TEST(test_filter),
		SANDBOX_TEST(test_actions),	  SANDBOX_TEST(test_default_deny),
		SANDBOX_TEST(test_report),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
