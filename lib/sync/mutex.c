// SPDX-License-Identifier: BSD-2-Clause
#include <sync/mutex.h>

#include <import/sched.h>

static bool try_mutex(void *object, const void *want, word *owner)
{
	uint32_t now;

	(void)want;
	if (mutex_take(object, &now))
		return true;
	*owner = (now & MUTEX_OWNER) - 1;
	return false;
}

/* Locks a mutex that the caller already holds. Returns 0, ESTATE if it is not recursive, or ERANGE at 2^16 locks. */
static long take_again(struct mutex *mutex)
{
	if (!mutex->recursive)
		return LIMPET_ESTATE;
	if (mutex->owner > UINT32_MAX - MUTEX_AGAIN)
		return LIMPET_ERANGE;
	mutex->owner += MUTEX_AGAIN;
	return LIMPET_OK;
}

/*
 * A caller whose deadline passes may have been resumed to take the mutex, so it wakes the next
 * waiter.
 */
long mutex_lock_slow(struct mutex *mutex, uint64_t deadline)
{
	long status;

	if (mutex_mine(mutex))
		return take_again(mutex);
	status = sync_wait(&mutex->waiters, try_mutex, mutex, NULL, deadline);
	if (status)
		sync_wake(&mutex->waiters);
	return status;
}

/* Raises the caller to the ceiling. Returns its earlier priority, or ERANGE if that is above the ceiling. */
static long rise(const struct mutex *mutex)
{
	long before = sched_priority(0, mutex->ceiling);

	if (before <= mutex->ceiling)
		return before;
	sched_priority(0, (word)before);
	return LIMPET_ERANGE;
}

static long fall(long status, long before)
{
	long fallen = sched_priority(0, (word)before);

	return status || fallen >= 0 ? status : fallen;
}

long mutex_lock_ceiling(struct mutex *mutex, uint64_t deadline)
{
	long before, status;

	if (mutex_mine(mutex))
		return take_again(mutex);
	before = rise(mutex);
	if (before < 0)
		return before;
	status = mutex_lock_slow(mutex, deadline);
	if (status)
		return fall(status, before);
	mutex->before = (uint8_t)before;
	return LIMPET_OK;
}

long mutex_unlock_again(struct mutex *mutex)
{
	if (!mutex_mine(mutex))
		return LIMPET_ESTATE;
	mutex->owner -= MUTEX_AGAIN;
	return LIMPET_OK;
}

long mutex_unlock_ceiling(struct mutex *mutex)
{
	long before = mutex->before;

	if (!mutex_mine(mutex) || mutex->owner > MUTEX_OWNER)
		return mutex_unlock_again(mutex);
	__atomic_store_n(&mutex->owner, 0, __ATOMIC_SEQ_CST);
	return fall(sync_wake(&mutex->waiters), before);
}

long mutex_try(struct mutex *mutex)
{
	long before = 0;
	uint32_t owner;

	if (mutex_mine(mutex))
		return take_again(mutex);
	if (mutex->ceiling) {
		before = rise(mutex);
		if (before < 0)
			return before;
	}
	if (mutex_take(mutex, &owner)) {
		mutex->before = (uint8_t)before;
		return LIMPET_OK;
	}
	return mutex->ceiling ? fall(LIMPET_EBUSY, before) : LIMPET_EBUSY;
}
