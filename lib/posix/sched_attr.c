// SPDX-License-Identifier: BSD-2-Clause
/*
 * Linux's sched_setattr(2) and sched_getattr(2). A thread of SCHED_DEADLINE has a reservation of the scheduler, which
 * must have deadlines: docs/decisions/0066-deadlines-of-programs.md.
 */
#include <runtime/memory.h>

#include <import/sched.h>

#include <linux/sched.h>

#include "call.h"
#include "clock.h"
#include "policy.h"
#include "schedule.h"

#define ATTR_SIZE_FIRST 48	  /* size of the structure in its first version */
#define RUNTIME_MIN_NS 1024	  /* Linux's minimum */
#define TIME_LIMIT_NS (1ul << 63) /* Linux's limit of deadline and period */

_Static_assert(sizeof(struct sched_attr) == 56, "the structure of Linux 6.1");

/* Copies attributes of a known or a newer version. A newer one may set only what is known here. */
static long attr_copy(struct sched_attr *from, struct sched_attr *attr)
{
	const uint32_t size = from->size ? from->size : ATTR_SIZE_FIRST;
	bool good = size >= ATTR_SIZE_FIRST && size <= LIMPET_PAGE;

	for (uint32_t i = sizeof(*attr); good && i < size; i++)
		good = !((const uint8_t *)from)[i];
	if (!good) {
		from->size = sizeof(*attr);
		return -E2BIG;
	}
	*attr = (struct sched_attr){ 0 };
	memcpy(attr, from, size < sizeof(*attr) ? size : sizeof(*attr));
	return 0;
}

static bool deadline_valid(const struct sched_attr *attr)
{
	return !attr->sched_priority && attr->sched_runtime >= RUNTIME_MIN_NS &&
	       attr->sched_runtime <= attr->sched_deadline &&
	       attr->sched_deadline <= attr->sched_period && attr->sched_period < TIME_LIMIT_NS;
}

static long deadline_set(struct posix_thread *thread, struct sched_attr *attr)
{
	long status;

	if (!attr->sched_period)
		attr->sched_period = attr->sched_deadline;
	if (!deadline_valid(attr))
		return -EINVAL;
	if (user_effective())
		return -EPERM;
	if (attr->sched_deadline != attr->sched_period)
		return CALL_REFUSE(EINVAL, "a deadline is at the end of the period");
	status = sched_reserve_deadline(posix_id(thread), clock_ticks(attr->sched_runtime),
					clock_ticks(attr->sched_period));
	if (status == LIMPET_ESTATE)
		return CALL_REFUSE(EINVAL, "the scheduler has no deadlines. Use sched.edf in the "
					   "system file");
	if (status < 0)
		return status == LIMPET_EQUOTA ? -EBUSY : -EINVAL;
	policy_deadline(thread);
	thread->runtime = attr->sched_runtime;
	thread->period = attr->sched_period;
	return 0;
}

static long attr_set(struct posix_thread *thread, struct sched_attr *attr)
{
	long status;

	if (attr->sched_policy == SCHED_DEADLINE)
		return deadline_set(thread, attr);
	status = policy_change(thread, attr->sched_policy, (int)attr->sched_priority);
	if (!status && (attr->sched_policy == SCHED_NORMAL || attr->sched_policy == SCHED_BATCH))
		call_setpriority(0, 0, (word)attr->sched_nice);
	return status;
}

long call_sched_setattr(word tid, word from, word flags)
{
	struct posix_thread *thread = thread_or_self(tid);
	struct sched_attr attr;
	long status;

	if (!from || (int)tid < 0 || flags)
		return -EINVAL;
	status = attr_copy((struct sched_attr *)from, &attr);
	if (status)
		return status;
	if (!thread)
		return -ESRCH;
	if (attr.sched_flags & ~(uint64_t)SCHED_FLAG_RESET_ON_FORK)
		return CALL_REFUSE(EINVAL, "SCHED_FLAG_RESET_ON_FORK is the only flag");
	status = attr_set(thread, &attr);
	if (!status)
		thread->reset_on_fork = attr.sched_flags;
	return status;
}

long call_sched_getattr(word tid, word to, word size, word flags)
{
	const struct posix_thread *thread = thread_or_self(tid);
	struct sched_attr attr = { 0 };

	if (!to || (int)tid < 0 || size < ATTR_SIZE_FIRST || size > LIMPET_PAGE || flags)
		return -EINVAL;
	if (!thread)
		return -ESRCH;
	attr.size = size < sizeof(attr) ? (uint32_t)size : sizeof(attr);
	attr.sched_policy = thread->policy;
	attr.sched_flags = thread->reset_on_fork ? SCHED_FLAG_RESET_ON_FORK : 0;
	if (thread->policy == SCHED_DEADLINE) {
		attr.sched_runtime = thread->runtime;
		attr.sched_deadline = attr.sched_period = thread->period;
	} else if (policy_real_time(thread->policy)) {
		attr.sched_priority = (uint32_t)policy_priority(thread);
	} else {
		attr.sched_nice = 20 - (int32_t)call_getpriority(0, 0);
	}
	memcpy((void *)to, &attr, attr.size);
	return 0;
}
