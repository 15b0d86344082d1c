// SPDX-License-Identifier: GPL-2.0
/* A handler of SIGSEGV repairs a fault with mprotect(). The page exists, with its content, and is inaccessible. */
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "faults.h"

static unsigned char *base;
static volatile unsigned long repaired;

/*
 * Ends the process at a fault that it cannot repair: the access faults again, then with the default
 * action.
 */
static void repair(int number, siginfo_t *info, void *context)
{
	unsigned long offset = (unsigned long)info->si_addr - (unsigned long)base;

	(void)context;
	if (offset >= FAULT_SIZE ||
	    mprotect(base + offset / FAULT_PAGE * FAULT_PAGE, FAULT_PAGE, PROT_READ | PROT_WRITE))
		signal(number, SIG_DFL);
	repaired++;
}

void fault_drop_signal(unsigned char *range)
{
	if (mprotect(range, FAULT_SIZE, PROT_NONE))
		figure_die("mprotect");
}

unsigned long fault_count_signal(void)
{
	return repaired;
}

unsigned char *fault_map_signal(const struct faults *faults)
{
	struct sigaction action = { .sa_sigaction = repair, .sa_flags = SA_SIGINFO };

	(void)faults;
	base = fault_range(MAP_PRIVATE);
	for (unsigned long page = 0; page < FAULT_PAGES; page++) {
		uint64_t stamp = fault_stamp(page);

		memcpy(base + page * FAULT_PAGE, &stamp, sizeof(stamp));
	}
	if (sigaction(SIGSEGV, &action, NULL))
		figure_die("sigaction");
	fault_drop_signal(base);
	return base;
}
