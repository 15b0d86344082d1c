// SPDX-License-Identifier: GPL-2.0
/*
 * Repeatedly checks the executive of this guest. Arguments: `probe`, which serves getppid, or `other`, which passes it,
 * and the number of times.
 */
#include "tests/system/lib/guest.h"

int main(int argc, char **argv)
{
	const bool served = argc > 2 && !strcmp(argv[1], "probe");
	const long count = argc > 2 ? atol(argv[2]) : 0;
	long wrong = 0;

	section("calls");
	EXPECT(count > 0);
	for (long i = 0; i < count; i++)
		wrong += (raw_getppid() == PROBE_VALUE) != served;
	EQUAL(wrong, 0);
	EXPECT(raw_getppid() > 0);
	return sections_finish();
}
