// SPDX-License-Identifier: GPL-2.0
/* Pages that the executive of this process supplies: component exec.probe, whose own calls its probe.h describes. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "faults.h"

#define PROBE_COUNTER 501
#define PROBE_MAP 509
#define PROBE_REVOKE 510
#define COUNTER_FAULTS 5
#define PROBE_PAGES 64	       /* different ones: page n of the range is page n modulo 64 */
#define RANGE 0x600000000000ul /* nothing else is mapped there */

unsigned char *fault_map_guest(const struct faults *faults)
{
	(void)faults;
	if (syscall(PROBE_MAP, RANGE, FAULT_SIZE, 1)) {
		fprintf(stderr, "page_faults: this process is no guest of exec.probe\n");
		exit(1);
	}
	return (unsigned char *)RANGE;
}

void fault_drop_guest(unsigned char *range)
{
	if (syscall(PROBE_REVOKE, range, FAULT_SIZE))
		figure_die("revoking pages");
}

unsigned long fault_count_guest(void)
{
	return (unsigned long)syscall(PROBE_COUNTER, COUNTER_FAULTS, 0);
}

uint64_t fault_content_guest(unsigned long page)
{
	return page % PROBE_PAGES;
}
