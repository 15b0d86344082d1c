// SPDX-License-Identifier: GPL-2.0
/* Sets the time slice of the calling thread in Linux's scheduler, by sched_setattr(2). */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cli/command/guest/guest.h>
#include <cli/common/report.h>
#include <cli/common/sched_attr.h>

static bool attributes_read(struct sched_attr *attributes)
{
	return !syscall(SYS_sched_getattr, 0, attributes, sizeof(*attributes), 0);
}

bool guest_slice_set(long us)
{
	struct sched_attr attributes;

	if (!attributes_read(&attributes)) {
		report("--slice %ld: sched_getattr: %s", us, strerror(errno));
		return false;
	}
	if (attributes.sched_policy != SCHED_OTHER && attributes.sched_policy != SCHED_BATCH) {
		report("--slice %ld: Only the policies SCHED_OTHER and SCHED_BATCH have time slices that can be "
		       "set. Omit --slice, or run the program with one of them.",
		       us);
		return false;
	}
	attributes.sched_runtime = (uint64_t)us * 1000;
	if (syscall(SYS_sched_setattr, 0, &attributes, 0)) {
		report("--slice %ld: sched_setattr: %s", us, strerror(errno));
		return false;
	}
	if (!attributes_read(&attributes) || attributes.sched_runtime != (uint64_t)us * 1000) {
		report("--slice %ld: A thread can have its own time slice since Linux 6.12. Omit --slice.",
		       us);
		return false;
	}
	return true;
}
