// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/time.h>

#include <sync/condition.h>

#include <import/sched.h>

/* Waits once. A signal between the unlock and the wait is later than `since`, so the scheduler does not lose it. */
static long wait_once(struct condition *condition, struct mutex *mutex, uint64_t deadline)
{
	uint64_t since = limpet_time();
	long status = mutex_unlock(mutex), locked;

	if (status == LIMPET_OK)
		status = sched_suspend_on((word)condition, since, 0, deadline);
	locked = mutex_lock(mutex, LIMPET_NEVER);
	return locked ? locked : status;
}

/* Takes a signal, and wakes the next waiter if signals are left. The caller has the mutex. */
static long take(struct condition *condition)
{
	condition->waiters--;
	condition->signals--;
	if (condition->signals)
		sched_resume_on((word)condition);
	return LIMPET_OK;
}

/*
 * Starts a turn: lets all waiters continue. Pending signals are for some of them, but only the scheduler knows for
 * which ones. A thread that starts to wait later must not receive such a signal.
 */
static __attribute__((noinline)) long turn_start(struct condition *condition)
{
	long status = sched_resume_all((word)condition);

	if (status != LIMPET_OK && status != LIMPET_ENOENT)
		return status;
	condition->turn++;
	condition->waiters = 0;
	condition->signals = 0;
	return LIMPET_OK;
}

long condition_wait(struct condition *condition, struct mutex *mutex, uint64_t deadline)
{
	long status = LIMPET_OK;
	uint32_t turn;

	if (mutex->owner != mutex_self())
		return LIMPET_ESTATE;
	if (condition->signals)
		status = turn_start(condition);
	if (status != LIMPET_OK)
		return status;
	turn = condition->turn;
	condition->waiters++;
	do
		status = wait_once(condition, mutex, deadline);
	while (!condition->signals && condition->turn == turn && status == LIMPET_OK);
	if (condition->turn != turn)
		return mutex_mine(mutex) ? LIMPET_OK : status;
	if (condition->signals && mutex_mine(mutex))
		return take(condition);
	__atomic_fetch_sub(&condition->waiters, 1, __ATOMIC_SEQ_CST);
	return status;
}

/* Lets `signals` waiters in total continue, and resumes the one with the highest priority. */
static __attribute__((noinline)) long give(struct condition *condition, uint32_t signals)
{
	uint32_t before = condition->signals;
	long status;

	condition->signals = signals;
	status = sched_resume_on((word)condition);
	if (status == LIMPET_OK || status == LIMPET_ENOENT)
		return LIMPET_OK;
	condition->signals = before;
	return status;
}

long condition_signal(struct condition *condition, struct mutex *mutex)
{
	if (!mutex_mine(mutex))
		return LIMPET_ESTATE;
	return likely(condition->signals >= condition->waiters)
		       ? LIMPET_OK
		       : give(condition, condition->signals + 1);
}

/*
 * Each resumed waiter wakes the next one when it has the mutex. If all were woken together, they
 * would wait for the mutex. The caller inherits the priority of the first one until it unlocks the
 * mutex.
 */
long condition_broadcast(struct condition *condition, struct mutex *mutex)
{
	if (!mutex_mine(mutex))
		return LIMPET_ESTATE;
	return condition->signals >= condition->waiters ? LIMPET_OK
							: give(condition, condition->waiters);
}
