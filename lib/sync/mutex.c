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

/* The caller takes once more what it has. */
static long take_again(struct mutex *m)
{
	if (!m->recursive)
		return LIMPET_ESTATE;
	if (m->owner > UINT32_MAX - MUTEX_AGAIN)
		return LIMPET_ERANGE;
	m->owner += MUTEX_AGAIN;
	return LIMPET_OK;
}

/*
 * Who gives up may have been resumed to take the mutex, and the others wait for it then: it passes
 * that on.
 */
long mutex_lock_slow(struct mutex *m, uint64_t deadline)
{
	long status;

	if (mutex_mine(m))
		return take_again(m);
	status = sync_wait(&m->waiters, try_mutex, m, NULL, deadline);
	if (status)
		sync_wake(&m->waiters);
	return status;
}

/* The priority that the caller had before; it has that of the ceiling now. */
static long rise(const struct mutex *m)
{
	long before = sched_priority(0, m->ceiling);

	if (before <= m->ceiling)
		return before;
	sched_priority(0, (word)before);
	return LIMPET_ERANGE;
}

static long fall(long status, long before)
{
	long fallen = sched_priority(0, (word)before);

	return status || fallen >= 0 ? status : fallen;
}

long mutex_lock_ceiling(struct mutex *m, uint64_t deadline)
{
	long before, status;

	if (mutex_mine(m))
		return take_again(m);
	before = rise(m);
	if (before < 0)
		return before;
	status = mutex_lock_slow(m, deadline);
	if (status)
		return fall(status, before);
	m->before = (uint8_t)before;
	return LIMPET_OK;
}

long mutex_unlock_again(struct mutex *m)
{
	if (!mutex_mine(m))
		return LIMPET_ESTATE;
	m->owner -= MUTEX_AGAIN;
	return LIMPET_OK;
}

long mutex_unlock_ceiling(struct mutex *m)
{
	long before = m->before;

	if (!mutex_mine(m) || m->owner > MUTEX_OWNER)
		return mutex_unlock_again(m);
	__atomic_store_n(&m->owner, 0, __ATOMIC_SEQ_CST);
	return fall(sync_wake(&m->waiters), before);
}

long mutex_try(struct mutex *m)
{
	long before = 0;
	uint32_t owner;

	if (mutex_mine(m))
		return take_again(m);
	if (m->ceiling) {
		before = rise(m);
		if (before < 0)
			return before;
	}
	if (mutex_take(m, &owner)) {
		m->before = (uint8_t)before;
		return LIMPET_OK;
	}
	return m->ceiling ? fall(LIMPET_EBUSY, before) : LIMPET_EBUSY;
}
