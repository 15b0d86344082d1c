// SPDX-License-Identifier: GPL-2.0
/*
 * Checks that the probe has found no violation, and has got at least this number of calls.
 * Argument: calls.
 */
#include "tests/system/lib/guest.h"

int main(int argc, char **argv)
{
	section("the probe saw the calls");
	EXPECT(argc > 1 && probe_counter(CALLS) >= atol(argv[1]));
	probe_check();
	return sections_finish();
}
