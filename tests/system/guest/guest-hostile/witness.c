// SPDX-License-Identifier: GPL-2.0
/* A guest that checks the answers of all its calls, until a file exists. */
#include "tests/system/lib/guest.h"

#include <sys/stat.h>

int main(int argc, char **argv)
{
	struct stat found;
	const uint64_t second = ticks_second();
	const long id = probe_id();

	if (argc < 2)
		return 2;
	while (stat(argv[1], &found)) {
		for (int i = 0; i < 100; i++)
			if (raw_getppid() != PROBE_VALUE)
				return 3;
		if (probe_id() != id)
			return 4;
		if (probe_wait(second / 200, 0) != LIMPET_ETIME)
			return 5;
	}
	return 0;
}
