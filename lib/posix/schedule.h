/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What Debian's musl lacks for scheduling. Programs include it as <posix/schedule.h>, and call sched_setattr(2) and
 * sched_getattr(2) by syscall().
 */
#ifndef POSIX_SCHEDULE_H
#define POSIX_SCHEDULE_H

#include <stdint.h>

/*
 * The sporadic server of POSIX.1-2017, section 2.8.4. No scheduler implements it, so each call with this policy fails
 * with ENOTSUP. Linux has no such policy, and leaves this number unused. Its 6 is SCHED_DEADLINE.
 */
#define SCHED_SPORADIC 4

#ifndef _LINUX_SCHED_TYPES_H
/* The structure of Linux, with the values of its <linux/sched/types.h>. */
struct sched_attr {
	uint32_t size; /* of the structure */
	uint32_t sched_policy;
	uint64_t sched_flags;
	int32_t sched_nice;	 /* SCHED_OTHER, SCHED_BATCH */
	uint32_t sched_priority; /* SCHED_FIFO, SCHED_RR */
	uint64_t sched_runtime;	 /* SCHED_DEADLINE, in nanoseconds, as the next two */
	uint64_t sched_deadline;
	uint64_t sched_period;
	uint32_t sched_util_min; /* ignored */
	uint32_t sched_util_max; /* ignored */
};
#endif

#endif
