// SPDX-License-Identifier: GPL-2.0
/*
 * Measures getppid(), the two readings of the clock included, under one of Linux's mechanisms for seeing system calls.
 * For a pair that is not in the table the program makes the calls without a mechanism of Linux.
 *
 *   system_calls CASE SUBJECT [CALLS]      CASE: served: the result must be CALLS_ANSWER; else: the parent's id
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "calls.h"

static const struct mechanism {
	const char *name, *subject;
	void (*run)(struct calls *calls);
} mechanisms[] = {
	{ "served", "sud", calls_dispatch },	      { "served", "seccomp-trap", calls_trap },
	{ "served", "seccomp-notify", calls_notify }, { "served", "ptrace", calls_trace },
	{ "passed", "seccomp-notify", calls_notify }, { "passed", "ptrace", calls_trace },
};

void calls_wrong(const struct calls *calls, const char *what, long value)
{
	fprintf(stderr, "system_calls %s %s: %s: %ld\n", calls->figure.name, calls->figure.subject,
		what, value);
	exit(1);
}

void calls_wait(const struct calls *calls, pid_t child)
{
	int status;

	if (waitpid(child, &status, 0) != child)
		figure_die("waitpid");
	if (status)
		calls_wrong(calls, "the child's status", status);
}

/* Returns the parent's process id as the proc file system shows it, without a call of getppid(). */
static long parent_read(void)
{
	FILE *file = fopen("/proc/self/stat", "re");
	long parent;

	if (!file || fscanf(file, "%*d (%*[^)]) %*c %ld", &parent) != 1)
		figure_die("/proc/self/stat");
	fclose(file);
	return parent;
}

void calls_make(const struct calls *calls)
{
	long want = calls->served ? CALLS_ANSWER : parent_read(), wrong = want;
	uint64_t *samples = figure_samples(calls->count);

	if (calls->begin)
		calls->begin();
	for (unsigned long i = 0; i < calls->count + CALLS_WARM_UP; i++) {
		uint64_t start = figure_time();
		long result = figure_null_call();

		samples[i < CALLS_WARM_UP ? 0 : i - CALLS_WARM_UP] = figure_time() - start;
		if (result != want)
			wrong = result;
	}
	if (calls->end)
		calls->end();
	if (wrong != want)
		calls_wrong(calls, "a wrong result", wrong);
	figure_print(&calls->figure, samples, calls->count);
}

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
