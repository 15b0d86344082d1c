// SPDX-License-Identifier: GPL-2.0
/* Makes the calls and checks their results, under any mechanism. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "calls.h"

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
