// SPDX-License-Identifier: GPL-2.0
/*
 * Kills guests while their executive handles BEGIN. The handler thread continues without the guest. Checks that END is
 * sent, and the id used again, only after its answer. Argument: number of guests.
 */
#include "tests/system/lib/guest.h"

/* Returns whether all guests but this one have ended for the executive. */
static bool all_ended(void)
{
	return probe_counter(BEGINS) == probe_counter(ENDS) + 1;
}

int main(int argc, char **argv)
{
	const int count = argc > 1 ? atoi(argv[1]) : 10;
	const long before = probe_counter(BEGINS);
	uint64_t seed = 3;

	section("guests that are killed at BEGIN");
	for (int i = 0; i < count; i++) {
		pid_t pid = fork();

		if (!pid)
			for (;;)
				pause();
		pause_us((long)(random_next(&seed) % 18000));
		kill(pid, SIGKILL);
		EQUAL(child_wait(pid, 10), SIGKILL);
	}
	for (int i = 0; i < 400 && !all_ended(); i++)
		pause_us(10000);
	EQUAL(probe_counter(ENDS) + 1, probe_counter(BEGINS));
	EXPECT(probe_counter(BEGINS) > before + count / 2); /* others were killed before BEGIN */
	probe_check();
	return sections_finish();
}
