// SPDX-License-Identifier: GPL-2.0
/*
 * The executive has one handler thread. A guest is killed while that thread handles a call of another guest, which then
 * makes no further call. Checks that the executive gets the event END nevertheless.
 */
#include "tests/system/lib/guest.h"

#include <sys/time.h>

int main(void)
{
	const uint64_t second = ticks_second();
	const struct itimerval soon = { .it_value.tv_usec = 100000 };

	section("a guest that is killed while no handler thread is idle");
	for (int i = 0; i < 5; i++) {
		const long ended = probe_counter(ENDS);
		pid_t pid = fork();

		if (!pid) {
			setitimer(ITIMER_REAL, &soon, NULL);
			for (;;)
				pause();
		}
		pause_us(50000);
		EQUAL(probe_run(second * 2 / 5), 0);
		for (uint64_t start = ticks_now(); ticks_now() - start < second / 2;)
			;
		EQUAL(probe_counter(ENDS), ended + 1);
		EQUAL(child_wait(pid, 10), SIGALRM);
	}
	probe_check();
	return sections_finish();
}
