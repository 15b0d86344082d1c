// SPDX-License-Identifier: GPL-2.0
/*
 * Tests a filter with which the first executive gets only its own calls. The others get all calls.
 */
#include "stack.h"

#define CALLS_MADE 100

int main(void)
{
	long before[LEVELS], after[LEVELS];

	section("calls that only inner executives want go past the first one");
	for (int i = 0; i < LEVELS; i++)
		mode(i, PASS);
	for (int i = LEVELS - 1; i >= 0; i--)
		before[i] = counter(i, CALLS);
	for (int i = 0; i < CALLS_MADE; i++)
		raw_getppid();
	for (int i = LEVELS - 1; i >= 0; i--)
		after[i] = counter(i, CALLS);
	EQUAL(after[0] - before[0], 1);
	EQUAL(after[1] - before[1], CALLS_MADE + 2);
	EQUAL(after[2] - before[2], CALLS_MADE + 1);
	section("a child inherits the filter of each");
	pid_t pid = fork();

	if (!pid) {
		const long seen = counter(0, CALLS);

		raw_getppid();
		EQUAL(counter(0, CALLS), seen + 1);
		mode(2, SERVE);
		EQUAL(raw_getppid(), PROBE_VALUE);
		child_exit();
	}
	GOOD(pid);
	return sections_finish();
}
