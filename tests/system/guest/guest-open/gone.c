// SPDX-License-Identifier: GPL-2.0
/*
 * Crashes its executive, which has no supervisor, until all handler threads are used up, and then makes a call. A guest
 * that continues without its executive gets Linux's result and returns CHILD_GOOD. Another guest waits in the call.
 */
#include "tests/system/lib/guest.h"

#define CRASHES 6

/* Ends a guest that makes the executive crash when it has ended or waits. Returns false if it cannot be ended. */
static bool crash(void)
{
	pid_t pid = fork();

	if (!pid) {
		probe_fault();
		_exit(0);
	}
	for (int i = 0; i < 2000 && task_state(pid) == 'R'; i++)
		pause_us(10000);
	kill(pid, SIGKILL);
	return child_wait(pid, 10) >= 0;
}

int main(void)
{
	long parent;

	for (int i = 0; i < CRASHES; i++)
		if (!crash())
			return 3;
	parent = raw_getppid();
	return parent > 0 && parent != PROBE_VALUE ? CHILD_GOOD : 2;
}
