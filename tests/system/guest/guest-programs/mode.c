// SPDX-License-Identifier: GPL-2.0
/* Sets the probe's mode of all guests that start later. Argument: the mode. */
#include "tests/system/lib/guest.h"

int main(int argc, char **argv)
{
	return argc < 2 || probe_mode_all(atol(argv[1])) < 0;
}
