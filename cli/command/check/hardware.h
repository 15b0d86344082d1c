/* SPDX-License-Identifier: GPL-2.0 */
/* Causes in the processor and the machine, for cause.c. */
#ifndef CLI_CHECK_HARDWARE_H
#define CLI_CHECK_HARDWARE_H

#include <cli/command/check/check.h>

#define CAUSE_LONGER 2 /* a job that runs longer than CAUSE_LONGER times the median is unusual */

/*
 * Find a cause in the processor or the machine. hardware_own_blame() is for a job whose thread itself ran longer than
 * usual. The others are for a job during which Linux had the CPU for `us`. They return false, and change nothing, if no
 * counter shows such a cause.
 */
bool hardware_own_blame(const struct check *check, struct check_thread *thread);
bool hardware_cpus_blame(struct check_thread *thread, double us);
bool hardware_smi_blame(const struct check *check, struct check_thread *thread);
bool hardware_idle_blame(const struct check *check, struct check_thread *thread, double us);
/* Blames a stop of the machine for a time of `ticks`, if component hwlat saw one that is at least half as long. */
bool hardware_stall_blame(const struct check *check, struct check_thread *thread, uint64_t ticks);
/* Blames NMIs. `rate` of them came per second. */
void hardware_nmi_set(struct cause *cause, double us, int64_t nmis, double rate);

#endif
