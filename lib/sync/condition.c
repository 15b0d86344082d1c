// SPDX-License-Identifier: BSD-2-Clause
#include <sync/condition.h>

#include <import/sched.h>

/* One wait. It goes the slow way back: a broadcast has set the caller's bit in the mutex. */
static long wait_once(struct mutex *mutex, uint64_t deadline)
{
	long status = mutex_unlock(mutex), locked;

	if (status == LIMPET_OK)
		status = sched_suspend_for(0, deadline);
	locked = mutex->ceiling ? mutex_lock_ceiling(mutex, LIMPET_NEVER)
				: mutex_lock_slow(mutex, LIMPET_NEVER);
	return locked ? locked : status;
}

long condition_wait(struct condition *condition, struct mutex *mutex, uint64_t deadline)
{
	const uint64_t self = sync_self();
	long status = LIMPET_OK;

	if (mutex->owner != mutex_self())
		return LIMPET_ESTATE;
	condition->waiters |= self;
	while (condition->waiters & self && status == LIMPET_OK)
		status = wait_once(mutex, deadline);
	if (!(condition->waiters & self) && mutex_mine(mutex))
		return LIMPET_OK;
	__atomic_fetch_and(&condition->waiters, ~self, __ATOMIC_SEQ_CST);
	return status;
}

long condition_signal(struct condition *condition, struct mutex *mutex)
{
	long id;

	if (!mutex_mine(mutex))
		return LIMPET_ESTATE;
	if (!condition->waiters)
		return LIMPET_OK;
	id = sched_resume_best(condition->waiters);
	if (id < 0)
		return id;
	condition->waiters &= ~(1ul << id);
	return LIMPET_OK;
}

/*
 * All of them are to wait for the mutex from now on: to wake them would be for that alone. But the
 * most important one is woken, so that the caller is as important as it is until it gives the mutex
 * up; the others are not more important than that one.
 */
long condition_broadcast(struct condition *condition, struct mutex *mutex)
{
	uint64_t threads = condition->waiters;

	if (!mutex_mine(mutex))
		return LIMPET_ESTATE;
	if (!threads)
		return LIMPET_OK;
	condition->waiters = 0;
	__atomic_fetch_or(&mutex->waiters, threads, __ATOMIC_SEQ_CST);
	return sync_wake_best(threads);
}
