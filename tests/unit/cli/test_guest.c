// SPDX-License-Identifier: GPL-2.0
/* Tests filters, signal names, errors and output of limpet guest, with guests that the test makes up. */
#include "test.h"
#include "fake_root.h"
#include "guest_image.h"
#include "said.h"
#include "stat_random.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include <cli/command/guest/guest.h>

#include "json_check.h"

/* --- filters */

static bool filter_has(const uint64_t *filter, unsigned int call)
{
	return filter[call / 64] >> call % 64 & 1;
}

static void assert_filter(const char *list, unsigned int count, unsigned int member)
{
	uint64_t filter[LIMPET_GUEST_FILTER_WORDS];

	assert_true(guest_calls_take(&guest_run_command, list, filter));
	assert_int_equal(guest_calls_count(filter), count);
	assert_true(!count || filter_has(filter, member));
}

static void a_list_becomes_a_filter(void **state)
{
	uint64_t filter[LIMPET_GUEST_FILTER_WORDS];

	(void)state;
	assert_filter("all", 512, 511);
	assert_filter("none", 0, 0);
	assert_filter("!none", 512, 0);
	assert_filter("!all", 0, 0);
	assert_filter("read", 1, 0);
	assert_filter("openat,write,write", 2, 257);
	assert_filter("rest", 1, LIMPET_GUEST_FILTER_REST);
	assert_filter("0,510,rest", 3, 510);
	assert_filter("257", 1, 257);
	assert_filter("none,execve", 1, 59);
	assert_filter("!rest", 511, 510);
	assert_filter("!openat,read", 510, 256);
	assert_true(guest_calls_take(&guest_run_command, "!openat,read", filter));
	assert_false(filter_has(filter, 0) || filter_has(filter, 257));
}

static void assert_unknown(const char *list, const char *word)
{
	uint64_t filter[LIMPET_GUEST_FILTER_WORDS];
	char line[1024];
	struct said said;
	bool taken;

	said_begin(&said);
	taken = guest_calls_take(&guest_filter_command, list, filter);
	said_end(&said);
	assert_false(taken);
	snprintf(
		line, sizeof(line),
		"limpet: --calls %s: There is no system call '%s'. Give names as in syscalls(2), numbers from "
		"0 to 510, rest, all or none, with commas between.\nTry `limpet guest filter "
		"--help`.\n",
		list, word);
	assert_string_equal(said.text, line);
}

static void an_unknown_call_is_named(void **state)
{
	char word[100];

	(void)state;
	assert_unknown("openat,raed,write", "raed");
	assert_unknown("", "");
	assert_unknown("!", "");
	assert_unknown("read,", "");
	assert_unknown("read,,write", "");
	assert_unknown("511", "511");
	assert_unknown("-1", "-1");
	assert_unknown("1x", "1x");
	assert_unknown("read,!write", "!write");
	memset(word, 'a', sizeof(word) - 1);
	word[sizeof(word) - 1] = 0;
	assert_unknown(word, word);
}

/* --- signals */

static void assert_signal(const char *text, int expected)
{
	int signal = 0;

	assert_int_equal(guest_signal_take(&signal, text), expected > 0);
	assert_true(expected <= 0 || signal == expected);
}

static void signals_have_names_and_numbers(void **state)
{
	(void)state;
	assert_signal("TERM", SIGTERM);
	assert_signal("SIGTERM", SIGTERM);
	assert_signal("sigusr1", SIGUSR1);
	assert_signal("sys", SIGSYS);
	assert_signal("HUP", SIGHUP);
	assert_signal("1", 1);
	assert_signal("64", 64);
	assert_signal("0", -1);
	assert_signal("65", -1);
	assert_signal("", -1);
	assert_signal("SIG", -1);
	assert_signal("TERMS", -1);
}

/* --- errors */

#define LINE(call, text)                                                                           \
	do {                                                                                       \
		struct said said;                                                                  \
		int code;                                                                          \
		said_begin(&said);                                                                 \
		code = call;                                                                       \
		assert_string_equal(said_end(&said), "limpet: " text "\n");                        \
		assert_int_equal(code, COMMAND_REFUSED);                                           \
	} while (0)

static void errors_of_the_device(void **state)
{
	(void)state;
	LINE(guest_report_open(-ENOENT),
	     "/dev/limpet/guest: Limpet is not attached. Run `limpet attach` first.");
	LINE(guest_report_open(-EACCES),
	     "/dev/limpet/guest: You have no permission to open this device. Run the command as root, or "
	     "ask root to change the permissions.");
	LINE(guest_report_open(-EMFILE), "/dev/limpet/guest: Too many open files");
	LINE(guest_report_list(-ENODEV), "No system runs. Start one with `limpet run IMAGE`.");
	LINE(guest_report_list(-EPROTO),
	     "The guests cannot be listed: The module has another version. Install module and "
	     "command from the same build.");
}

static void errors_of_enter(void **state)
{
	const struct guest_plan any = { .executive = NULL }, named = { .executive = "tracer" };

	(void)state;
	LINE(guest_report_enter(&any, -ENODEV),
	     "No system runs. Start one with `limpet run IMAGE`.");
	LINE(guest_report_enter(&any, -ENOENT),
	     "The system has no executive that serves guests. Wait until the executive has started, or "
	     "run a system that has one.");
	LINE(guest_report_enter(&named, -ENOENT),
	     "--executive tracer: The component serves no guests. Wait until it has started, or name "
	     "an executive.");
	LINE(guest_report_enter(&any, -ENOTUNIQ),
	     "The program cannot become a guest: The system has several executives. Select one with "
	     "--executive NAME.");
	LINE(guest_report_enter(&any, -EBUSY),
	     "The caller is a guest already, and its programs are, too. Run the program without "
	     "`limpet guest run`.");
	LINE(guest_report_enter(&any, -EMFILE),
	     "The program cannot become a guest: 4096 threads are guests, which is the maximum. End "
	     "or release one of `limpet guest ps`.");
	LINE(guest_report_enter(&any, -EDQUOT),
	     "The program cannot become a guest: The user has 1024 guests, which is the maximum except "
	     "for root. End or release one of `limpet guest ps`.");
	LINE(guest_report_enter(&any, -EINVAL),
	     "The program cannot become a guest: The module has another version. Install module and "
	     "command from the same build.");
	LINE(guest_report_enter(&any, -ENOMEM),
	     "The program cannot become a guest: Cannot allocate memory");
}

static void errors_of_another_process(void **state)
{
	const struct guest_plan plan = { .executive = NULL };

	(void)state;
	LINE(guest_report_attach(&plan, 12, -ESRCH),
	     "Process 12 does not exist. `ps -e` lists all processes.");
	LINE(guest_report_attach(&plan, 12, -EBUSY),
	     "Process 12 is a guest already. Run `limpet guest release 12` first.");
	LINE(guest_report_attach(&plan, 12, -ENOMEM),
	     "Process 12 cannot become a guest: Cannot allocate memory");
	LINE(guest_report_process("be released", 12, -ESRCH),
	     "Process 12 does not exist. `ps -e` lists all processes.");
	LINE(guest_report_process("be released", 12, -ENOENT),
	     "Process 12 is not a guest. `limpet guest ps` lists the guests.");
	LINE(guest_report_process("be released", 12, -EINTR),
	     "Process 12 cannot be released: Interrupted system call");
	if (geteuid())
		LINE(guest_report_attach(&plan, 12, -EPERM),
		     "Process 12: The command needs the capability CAP_SYS_PTRACE. Run it as root.");
	else
		LINE(guest_report_attach(&plan, 12, -EPERM),
		     "Process 12 belongs to Linux's kernel, or CAP_SYS_PTRACE is missing. Choose "
		     "another process.");
}

/* --- output */

/* Images by the id of a system. */
static const struct image named[LIMPET_SYSTEMS_MAX] = { { (unsigned char *)&guest_image,
							  sizeof(guest_image) } };
static const struct image unnamed[LIMPET_SYSTEMS_MAX];

static struct limpet_guest_info guests[3] = {
	{ .pid = 70,
	  .tid = 70,
	  .id = 0,
	  .component = 1,
	  .filter = { ~0ul, ~0ul, ~0ul, ~0ul, ~0ul, ~0ul, ~0ul, ~0ul } },
	{ .pid = 70,
	  .tid = 71,
	  .id = 4,
	  .component = 1,
	  .flags = LIMPET_GUEST_OPEN,
	  .state = LIMPET_GUEST_WAITS,
	  .calls = 123456789,
	  .others = 2,
	  .parked = 30,
	  .moved = 4,
	  .filter = { 7 } },
	{ .component = 9, .id = 4095, .state = 77 },
};

/* Returns the text that a function prints. The caller frees it. */
static char *printed(void (*print)(FILE *, const struct guest_list *, const struct image *,
				   const char *),
		     const struct image *image, size_t count)
{
	const struct guest_list list = { guests, count };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	print(out, &list, image, root);
	fclose(out);
	return text;
}

static void assert_printed(const struct image *image, size_t count, const char *expected)
{
	char *text = printed(guest_print, image, count);

	assert_string_equal(text, expected);
	free(text);
}

static void the_table_is_aligned(void **state)
{
	(void)state;
	put("/proc/70/comm", "cat\n");
	put("/proc/71/comm", "a\tb\nc\x1b[2J\x9b\n");
	assert_printed(
		named, 3,
		"PID  TID  GUEST  EXECUTIVE  STATE      CALLS  OTHERS  PARKED  MOVED  FILTER  PROGRAM\n"
		" 70   70      0  tracer     free           0       0       0      0     all  cat\n"
		" 70   71      4  tracer     waits  123456789       2      30      4       3  "
		"a b c\\x1b[2J\\x9b\n"
		"  0    0   4095  9          ?              0       0       0      0    none  ?\n");
	assert_printed(
		unnamed, 1,
		"PID  TID  GUEST  EXECUTIVE  STATE  CALLS  OTHERS  PARKED  MOVED  FILTER  PROGRAM\n"
		" 70   70      0  1          free       0       0       0      0     all  cat\n");
	assert_printed(
		unnamed, 0,
		"PID  TID  GUEST  EXECUTIVE  STATE  CALLS  OTHERS  PARKED  MOVED  FILTER  PROGRAM\n");
}

/* Executives of a guest are printed in the order in which they get its calls. */
static void a_chain_is_printed(void **state)
{
	char *text;

	(void)state;
	guests[0].component = 2;
	assert_printed(
		named, 1,
		"PID  TID  GUEST  EXECUTIVE     STATE  CALLS  OTHERS  PARKED  MOVED  FILTER  PROGRAM\n"
		" 70   70      0  guard>tracer  free       0       0       0      0     all  cat\n");
	text = printed(guest_print_json, named, 1);
	assert_non_null(
		strstr(text, "\"executive\": \"guard\", \"chain\": [\"guard\", \"tracer\"], "));
	free(text);
	guests[0].component = 1;
}

static void the_json_has_the_same(void **state)
{
	char *text = printed(guest_print_json, named, 3);

	(void)state;
	assert_true(json_is_valid(text));
	assert_non_null(strstr(
		text,
		"{\"guests\": [{\"pid\": 70, \"tid\": 70, \"guest\": 0, \"system\": 0, \"cpu\": 0, \"component\": 1, "
		"\"executive\": \"tracer\", \"chain\": [\"tracer\"], \"alone\": false, \"open\": false, \"state\": \"free\", "
		"\"calls\": 0, \"others\": 0, \"parked\": 0, \"moved\": 0, \"filter\": 512, \"faults\": false, "
		"\"program\": \"cat\"}, "));
	assert_non_null(strstr(text, "\"open\": true, \"state\": \"waits\", \"calls\": 123456789"));
	assert_non_null(strstr(text, "\"executive\": null"));
	assert_non_null(strstr(text, "\"program\": null}]}\n"));
	free(text);
	text = printed(guest_print_json, unnamed, 0);
	assert_string_equal(text, "{\"guests\": []}\n");
	free(text);
}

static void any_record_can_be_printed(void **state)
{
	uint64_t seed = 17;
	char *text;

	(void)state;
	for (int round = 0; round < 1000; round++) {
		words_random(guests, sizeof(guests), &seed);
		text = printed(guest_print_json, named, 3);
		assert_true(json_is_valid(text));
		free(text);
		free(printed(guest_print, named, 3));
	}
}

static int setup(void **state)
{
	(void)state;
	return root_make();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_becomes_a_filter),
		cmocka_unit_test(an_unknown_call_is_named),
		cmocka_unit_test(signals_have_names_and_numbers),
		cmocka_unit_test(errors_of_the_device),
		cmocka_unit_test(errors_of_enter),
		cmocka_unit_test(errors_of_another_process),
		cmocka_unit_test(the_table_is_aligned),
		cmocka_unit_test(a_chain_is_printed),
		cmocka_unit_test(the_json_has_the_same),
		cmocka_unit_test(any_record_can_be_printed),
	};

	return cmocka_run_group_tests_name("guest", tests, setup, root_remove);
}
