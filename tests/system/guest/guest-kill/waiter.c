// SPDX-License-Identifier: GPL-2.0
/* Waits in its executive without limit. */
#include "tests/system/lib/guest.h"

int main(void)
{
	return probe_wait(~0ul, 0) ? 1 : 0;
}
