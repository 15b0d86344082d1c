/* SPDX-License-Identifier: BSD-2-Clause */
/* The scheduling policies of the program's threads: sched_calls.c. */
#ifndef POSIX_POLICY_H
#define POSIX_POLICY_H

#include "posix.h"

/* Returns the thread with the id `tid`, or the caller for 0. */
static inline struct posix_thread *thread_or_self(word tid)
{
	return tid ? thread_of(tid) : posix_self();
}

/* Returns whether a policy is SCHED_FIFO or SCHED_RR. */
bool policy_real_time(word policy);
/* Returns the priority of a thread of SCHED_FIFO or SCHED_RR. */
int policy_priority(const struct posix_thread *thread);
/*
 * Gives a thread a policy other than SCHED_DEADLINE, and a priority of this policy. Ends its reservation. Returns 0,
 * -EINVAL, -EPERM, or -ENOTSUP for SCHED_SPORADIC.
 */
long policy_change(struct posix_thread *thread, word policy, int priority);
/* Marks a thread, which has got a reservation, as one of SCHED_DEADLINE. */
void policy_deadline(struct posix_thread *thread);
/* Gives a new thread the policy that it has if its creator has reset_on_fork. Requires posix_lock(). */
void policy_reset(struct posix_thread *thread);

#endif
