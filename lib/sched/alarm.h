/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCHED_ALARM_H
#define SCHED_ALARM_H

#include <sched/sched.h>

/*
 * Makes the alarm of a part come at the time stamp `deadline` at the latest. The nested scheduler sets its next alarm
 * itself after one that it did not expect. The caller has entered.
 */
void alarm_hasten(struct sched *sched, unsigned int id, uint64_t deadline);

#endif
