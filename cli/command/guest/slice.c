// SPDX-License-Identifier: GPL-2.0
/* Sets the slice of the calling thread in Linux's scheduler, by sched_setattr(2). */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cli/command/guest/guest.h>
#include <cli/common/report.h>

/* Linux's struct sched_attr in its first size. Only newer C libraries have it. */
struct attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

static bool attributes_read(struct attributes *attributes)
{
	return !syscall(SYS_sched_getattr, 0, attributes, sizeof(*attributes), 0);
}

bool guest_slice_set(long us)
{
	struct attributes attributes;

	if (!attributes_read(&attributes)) {
		report("--slice %ld: sched_getattr: %s", us, strerror(errno));
		return false;
	}
	if (attributes.policy != SCHED_OTHER && attributes.policy != SCHED_BATCH) {
		report("--slice %ld: Only the policies SCHED_OTHER and SCHED_BATCH have slices. Omit --slice, or "
		       "run the program with one of them.",
		       us);
		return false;
	}
	attributes.runtime = (uint64_t)us * 1000;
	if (syscall(SYS_sched_setattr, 0, &attributes, 0)) {
		report("--slice %ld: sched_setattr: %s", us, strerror(errno));
		return false;
	}
	if (!attributes_read(&attributes) || attributes.runtime != (uint64_t)us * 1000) {
		report("--slice %ld: Threads have slices of their own since Linux 6.12. Omit --slice.",
		       us);
		return false;
	}
	return true;
}
