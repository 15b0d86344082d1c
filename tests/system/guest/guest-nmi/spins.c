// SPDX-License-Identifier: GPL-2.0
/* Makes the executive run almost permanently, until a file exists. Checks each result. Argument: the file. */
#include "tests/system/lib/guest.h"

#include <sys/stat.h>

int main(int argc, char **argv)
{
	const uint64_t second = ticks_second();
	struct stat found;
	long rounds = 0;

	section("results while NMIs arrive");
	while (argc > 1 && (stat(argv[1], &found) || rounds <= 2)) {
		EQUAL(probe_run(second / 50), 0);
		EQUAL(raw_getppid(), PROBE_VALUE);
		rounds++;
	}
	EXPECT(rounds > 2);
	probe_check();
	return sections_finish();
}
