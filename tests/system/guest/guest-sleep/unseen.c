// SPDX-License-Identifier: GPL-2.0
/*
 * Checks the documented limit of exec.sleep: if the filter lacks rt_sigreturn, a signal handler runs in a sleep and
 * does not end it. The sleep starts again.
 */
#include "tests/system/lib/guest.h"

#include <sys/time.h>

static volatile int handled;

static void handler(int unused)
{
	(void)unused;
	handled++;
}

int main(void)
{
	const struct itimerval soon = { .it_value = { .tv_usec = 50000 } };
	const struct timespec request = { 0, 300000000 };
	const struct sigaction action = { .sa_handler = handler };
	double from;

	section("a sleep goes on after a handler that the executive does not see");
	EXPECT(!sigaction(SIGALRM, &action, NULL) && !setitimer(ITIMER_REAL, &soon, NULL));
	from = seconds();
	EQUAL(raw(SYS_nanosleep, (long)&request, 0, 0), 0);
	EXPECT(seconds() - from >= 0.3);
	EQUAL(handled, 1);
	return sections_finish();
}
