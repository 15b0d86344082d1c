// SPDX-License-Identifier: GPL-2.0
/*
 * Does the same as the component vec-worker in an ordinary process, whose FS base is its C library's.
 *
 *   process SEED
 *
 * Runs until SIGTERM. Then prints the number of checks, and the errors.
 */
#include <signal.h>
#include <sys/syscall.h>

#include "../../lib/device.h"
#include "vec-worker/hold.h"

static volatile sig_atomic_t ended;
static __thread uint64_t seed; /* accessed through FS */

static void end(int signal)
{
	(void)signal;
	ended = 1;
}

static uint64_t time_stamp(void)
{
	return __builtin_ia32_rdtsc();
}

int main(int argc, char **argv)
{
	unsigned long checks = 0, wrong = 0;
	struct timespec nap = { 0, 0 };
	struct vectors in, out;
	const char *what = NULL, *found;
	uint64_t fs;

	asm("rdfsbase %0" : "=r"(fs));
	seed = argc > 1 ? strtoul(argv[1], NULL, 0) * 0x9e3779b97f4a7c15ul : 1;
	signal(SIGTERM, end);
	while (!ended) {
		vectors_fill(&in, &seed, fs);
		nap.tv_nsec = (long)(vectors_random(&seed) % 1000000);
		if (checks & 1)
			vectors_hold(&in, &out, SYS_nanosleep, (uint64_t)&nap);
		else
			vectors_hold(&in, &out, 0, time_stamp() + vectors_random(&seed) % 4000000);
		found = vectors_differ(&in, &out);
		what = found ? found : what;
		wrong += !!found;
		checks++;
	}
	printf("%lu checks, %lu wrong%s%s\n", checks, wrong, what ? ": " : "", what ? what : "");
	return wrong != 0;
}
