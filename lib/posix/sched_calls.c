// SPDX-License-Identifier: BSD-2-Clause
/*
 * The sched_ system calls. Priority n of SCHED_FIFO or SCHED_RR is priority n + 1 of the component's scheduler.
 * SCHED_OTHER has priority 1 there. The thread that fires timers has the component's priority, which is the highest.
 * Threads of SCHED_RR and SCHED_OTHER have time slices among others of the same priority. Threads of SCHED_DEADLINE
 * have a reservation: sched_attr.c. POSIX.1-2017, section 2.8.4.
 */
#include <runtime/memory.h>
#include <runtime/time.h>

#include <import/sched.h>

#include <linux/sched.h>
#include <linux/time.h>

#include "call.h"
#include "policy.h"
#include "schedule.h"

#define PRIORITY_OTHER 1
#define PRIORITY_MIN 1 /* lowest priority of SCHED_FIFO and SCHED_RR */
#define TURN_RR_US 10000
#define TURN_OTHER_US 1000

/*
 * Returns the maximum priority of SCHED_FIFO and SCHED_RR. A value below PRIORITY_MIN means that there is no such
 * priority.
 */
static int priority_max(void)
{
	return (int)limpet_info()->priority - 1 - PRIORITY_OTHER;
}

/* Ends the job of a thread of SCHED_DEADLINE, as on Linux. Such a thread continues in the next period. */
long call_sched_yield(void)
{
	word due = 0;

	if (posix_self()->policy == SCHED_DEADLINE)
		sched_deadline_wait(&due);
	else
		sched_yield();
	return 0;
}

bool policy_real_time(word policy)
{
	return policy == SCHED_FIFO || policy == SCHED_RR;
}

static bool policy_known(word policy)
{
	return policy_real_time(policy) || policy == SCHED_NORMAL || policy == SCHED_BATCH ||
	       policy == SCHED_IDLE;
}

/*
 * Returns the time slice among threads of the same priority, or 0 if it is unlimited. Ordinary threads have short time
 * slices, because a thread that wakes while another one computes can be late by a slice.
 */
static uint32_t turn_us(word policy)
{
	if (policy == SCHED_FIFO || policy == SCHED_DEADLINE)
		return 0;
	return policy == SCHED_RR ? TURN_RR_US : TURN_OTHER_US;
}

static long policy_set(struct posix_thread *thread, word policy, int priority)
{
	const bool real_time = policy_real_time(policy);

	if (real_time ? priority < PRIORITY_MIN || priority > priority_max() : priority != 0)
		return -EINVAL;
	if (real_time && user_effective())
		return -EPERM;
	priority += PRIORITY_OTHER; /* from here on a priority of the scheduler */
	if (thread->policy == SCHED_DEADLINE && sched_reserve(posix_id(thread), 0, 0) < 0)
		return -EPERM;
	if (turn_us(policy) != turn_us(thread->policy) &&
	    sched_slice(posix_id(thread), limpet_us_to_ticks(turn_us(policy))) < 0)
		return -EPERM;
	if (sched_priority(posix_id(thread), (word)priority) < 0)
		return -EPERM;
	thread->policy = (uint8_t)policy;
	thread->priority = (uint8_t)priority;
	return 0;
}

long policy_change(struct posix_thread *thread, word policy, int priority)
{
	if (policy == SCHED_SPORADIC)
		return call_refuse(-EOPNOTSUPP, "ENOTSUP",
				   "no scheduler has SCHED_SPORADIC. Use SCHED_DEADLINE, or a "
				   "reservation in the system file");
	return policy_known(policy) ? policy_set(thread, policy, priority) : -EINVAL;
}

void policy_deadline(struct posix_thread *thread)
{
	if (turn_us(thread->policy))
		sched_slice(posix_id(thread), 0);
	thread->policy = SCHED_DEADLINE;
	thread->priority = (uint8_t)limpet_info()->priority;
}

void policy_reset(struct posix_thread *thread)
{
	if (policy_real_time(thread->policy) || thread->policy == SCHED_DEADLINE)
		policy_set(thread, SCHED_NORMAL, 0);
}

int policy_priority(const struct posix_thread *thread)
{
	return thread->priority - PRIORITY_OTHER;
}

bool policy_begin(struct posix_thread *thread, const char *name)
{
	thread->policy = SCHED_FIFO; /* the policy in the scheduler */
	if (!strcmp(name, "other"))
		return !policy_set(thread, SCHED_NORMAL, 0);
	if (!strcmp(name, "fifo"))
		return !policy_set(thread, SCHED_FIFO, priority_max());
	return !strcmp(name, "rr") && !policy_set(thread, SCHED_RR, priority_max());
}

long call_sched_setscheduler(word tid, word policy, word param)
{
	struct posix_thread *thread = thread_or_self(tid);
	long status;

	if ((int)tid < 0 || !param)
		return -EINVAL;
	if (!thread)
		return -ESRCH;
	status = policy_change(thread, policy & ~(word)SCHED_RESET_ON_FORK, *(const int *)param);
	if (!status)
		thread->reset_on_fork = policy & SCHED_RESET_ON_FORK;
	return status;
}

long call_sched_getscheduler(word tid)
{
	const struct posix_thread *thread = thread_or_self(tid);

	if (!thread)
		return -ESRCH;
	return thread->policy | (thread->reset_on_fork ? SCHED_RESET_ON_FORK : 0);
}

long call_sched_setparam(word tid, word param)
{
	struct posix_thread *thread = thread_or_self(tid);

	if (!thread)
		return -ESRCH;
	if (thread->policy == SCHED_DEADLINE)
		return -EINVAL;
	return policy_set(thread, thread->policy, *(const int *)param);
}

long call_sched_getparam(word tid, word param)
{
	const struct posix_thread *thread = thread_or_self(tid);

	if (!thread)
		return -ESRCH;
	*(int *)param = policy_real_time(thread->policy) ? policy_priority(thread) : 0;
	return 0;
}

long call_sched_get_priority_max(word policy)
{
	if (!policy_known(policy) && policy != SCHED_DEADLINE)
		return -EINVAL;
	return policy_real_time(policy) ? priority_max() : 0;
}

long call_sched_get_priority_min(word policy)
{
	if (!policy_known(policy) && policy != SCHED_DEADLINE)
		return -EINVAL;
	return policy_real_time(policy) ? PRIORITY_MIN : 0;
}

long call_sched_rr_get_interval(word tid, word to)
{
	const struct posix_thread *thread = thread_or_self(tid);

	if (!thread)
		return -ESRCH;
	*(struct timespec *)to = (struct timespec){ .tv_nsec = turn_us(thread->policy) * 1000 };
	return 0;
}

/* A component has one processor, which has number 0 for the program. */
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
