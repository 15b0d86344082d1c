// SPDX-License-Identifier: GPL-2.0
/*
 * Measures getppid(), the two readings of the clock included, under one of Linux's mechanisms for seeing system calls.
 * For a pair that is not in the table the program makes the calls without a mechanism of Linux.
 *
 *   system_calls CASE SUBJECT [CALLS]      CASE: served: the result must be CALLS_ANSWER; else: the parent's id
 */
#include <string.h>

#include "calls.h"

static const struct mechanism {
	const char *name, *subject;
	void (*run)(struct calls *calls);
} mechanisms[] = {
	{ "served", "sud", calls_dispatch },	      { "served", "seccomp-trap", calls_trap },
	{ "served", "seccomp-notify", calls_notify }, { "served", "ptrace", calls_trace },
	{ "passed", "seccomp-notify", calls_notify }, { "passed", "ptrace", calls_trace },
};

int main(int argc, char **argv)
{
	struct calls calls = { .count = argc > 3 ? figure_number(argv[3]) : 10000 };

	if (argc < 3)
		figure_usage("system_calls CASE SUBJECT [CALLS]");
	calls.figure = (struct figure){ "exec", argv[1], argv[2] };
	calls.served = !strcmp(argv[1], "served");
	figure_pin(0);
	for (size_t i = 0; i < sizeof(mechanisms) / sizeof(*mechanisms); i++)
		if (!strcmp(mechanisms[i].name, argv[1]) &&
		    !strcmp(mechanisms[i].subject, argv[2])) {
			mechanisms[i].run(&calls);
			return 0;
		}
	calls_make(&calls);
	return 0;
}
