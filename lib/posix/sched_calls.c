// SPDX-License-Identifier: BSD-2-Clause
/*
 * The sched_ system calls. A priority of SCHED_FIFO is a priority of the component's scheduler. Threads of SCHED_OTHER
 * have its lowest priority.
 */
#include <import/sched.h>

#include <linux/sched.h>
#include <linux/time.h>

#include "call.h"
#include "posix.h"

#define PRIORITY_OTHER 1

/* Returns the thread with the id `tid`, or the caller for 0. */
static struct posix_thread *thread_or_self(word tid)
{
	return tid ? thread_of(tid) : posix_self();
}

long call_sched_yield(void)
{
	sched_yield();
	return 0;
}

static bool policy_real_time(word policy)
{
	return policy == SCHED_FIFO || policy == SCHED_RR;
}

static bool policy_known(word policy)
{
	return policy_real_time(policy) || policy == SCHED_NORMAL || policy == SCHED_BATCH ||
	       policy == SCHED_IDLE;
}

static long policy_set(struct posix_thread *thread, word policy, int priority)
{
	const bool real_time = policy_real_time(policy);
	const uint32_t most = limpet_info()->priority;

	if (real_time ? priority < 1 || (uint32_t)priority > most : priority != 0)
		return -EINVAL;
	if (!real_time)
		priority = PRIORITY_OTHER;
	if (sched_priority(posix_id(thread), (word)priority) < 0)
		return -EPERM;
	thread->policy = (uint8_t)policy;
	thread->priority = (uint8_t)priority;
	return 0;
}

long call_sched_setscheduler(word tid, word policy, word param)
{
	struct posix_thread *thread = thread_or_self(tid);

	policy &= ~(word)SCHED_RESET_ON_FORK;
	if (!thread)
		return -ESRCH;
	return policy_known(policy) ? policy_set(thread, policy, *(const int *)param) : -EINVAL;
}

long call_sched_getscheduler(word tid)
{
	const struct posix_thread *thread = thread_or_self(tid);

	return thread ? thread->policy : -ESRCH;
}

long call_sched_setparam(word tid, word param)
{
	struct posix_thread *thread = thread_or_self(tid);

	return thread ? policy_set(thread, thread->policy, *(const int *)param) : -ESRCH;
}

long call_sched_getparam(word tid, word param)
{
	const struct posix_thread *thread = thread_or_self(tid);

	if (!thread)
		return -ESRCH;
	*(int *)param = policy_real_time(thread->policy) ? thread->priority : 0;
	return 0;
}

long call_sched_get_priority_max(word policy)
{
	if (!policy_known(policy))
		return -EINVAL;
	return policy_real_time(policy) ? (long)limpet_info()->priority : 0;
}

long call_sched_get_priority_min(word policy)
{
	return policy_known(policy) ? policy_real_time(policy) : -EINVAL;
}

long call_sched_rr_get_interval(word tid, word to)
{
	if (!thread_or_self(tid))
		return -ESRCH;
	*(struct timespec *)to = (struct timespec){ 0 };
	return 0;
}

/* A component has one processor; the program knows it as number 0. */
long call_sched_getaffinity(word tid, word size, word mask)
{
	if (!thread_or_self(tid))
		return -ESRCH;
	if (size < sizeof(word))
		return -EINVAL;
	*(word *)mask = 1;
	return sizeof(word);
}

long call_sched_setaffinity(word tid, word size, word mask)
{
	if (!thread_or_self(tid))
		return -ESRCH;
	return size && *(const uint8_t *)mask & 1 ? 0 : -EINVAL;
}

long call_getcpu(word cpu, word node)
{
	if (cpu)
		*(uint32_t *)cpu = 0;
	if (node)
		*(uint32_t *)node = 0;
	return 0;
}
