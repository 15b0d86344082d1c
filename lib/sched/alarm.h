/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCHED_ALARM_H
#define SCHED_ALARM_H

#include <sched/sched.h>

/*
 * Sets the alarm of a part to the time stamp `deadline`, unless it is set to an earlier time. The nested scheduler sets
 * its next alarm after each alarm, also after one that it did not set. Requires enter().
 */
void alarm_hasten(struct sched *sched, unsigned int id, uint64_t deadline);

#endif
