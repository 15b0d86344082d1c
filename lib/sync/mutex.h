/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements mutual exclusion between the threads in a component. A mutex of zeros is free.
 *
 *	static struct mutex plain;
 *	static struct mutex again = { .recursive = true };
 *	static struct mutex high = { .ceiling = 20 };
 *
 * Priority inheritance: while a thread waits, the owner has at least the priority of that thread,
 * and so has the thread for which the owner waits. With a ceiling the owner gets that priority when
 * it locks the mutex, so that the other users of the mutex cannot preempt it. This costs two
 * invocations each time. The ceiling must be the highest priority of all threads that use the
 * mutex. Mutexes with ceilings must be unlocked in the reverse order.
 *
 * A mutex that is unlocked and immediately locked again is not handed over to a thread of the same
 * priority. That thread continues when the owner waits.
 */
#ifndef SYNC_MUTEX_H
#define SYNC_MUTEX_H

#include <sync/core.h>

_Static_assert(LIMPET_THREADS_MAX < 0x10000, "ids have 16 bits in `owner`");

struct mutex {
	uint32_t owner; /* 1 + id of the owner, plus MUTEX_AGAIN for each further lock; 0: free */
	bool recursive;
	uint8_t ceiling; /* 1 to 255, 0: none */
	uint8_t before;	 /* the priority that unlock restores */
	uint32_t waiters;
};

#define MUTEX_AGAIN 0x10000u
#define MUTEX_OWNER 0xffffu

/* Slow parts of the functions below. */
long mutex_lock_slow(struct mutex *mutex, uint64_t deadline);
long mutex_lock_ceiling(struct mutex *mutex, uint64_t deadline);
long mutex_unlock_again(struct mutex *mutex);
long mutex_unlock_ceiling(struct mutex *mutex);

/* Returns the value of `owner` for the calling thread. */
static inline uint32_t mutex_self(void)
{
	return limpet_thread_id() + 1;
}

/* Returns whether the calling thread holds the mutex. */
static inline bool mutex_mine(const struct mutex *mutex)
{
	return (__atomic_load_n(&mutex->owner, __ATOMIC_RELAXED) & MUTEX_OWNER) == mutex_self();
}

/* Takes a mutex without a ceiling if it is free. Otherwise returns false and sets *owner. */
static inline bool mutex_take(struct mutex *mutex, uint32_t *owner)
{
	*owner = 0;
	return __atomic_compare_exchange_n(&mutex->owner, owner, mutex_self(), false,
					   __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

/*
 * Waits until the mutex is free, at most until the deadline, and locks it. Returns 0. ETIME: the deadline has passed.
 * ESTATE: the caller holds it already, and it is not recursive. ERANGE: the caller has locked it 2^16 times, or its
 * priority is above the ceiling. Costs one locked instruction if the mutex is free and has no ceiling.
 */
static inline long mutex_lock(struct mutex *mutex, uint64_t deadline)
{
	uint32_t owner;

	if (unlikely(mutex->ceiling))
		return mutex_lock_ceiling(mutex, deadline);
	return likely(mutex_take(mutex, &owner)) ? LIMPET_OK : mutex_lock_slow(mutex, deadline);
}

/*
 * Locks the mutex without waiting. Returns 0. EBUSY: another thread holds it. Returns ESTATE and ERANGE as mutex_lock()
 * does.
 */
long mutex_try(struct mutex *mutex);

/*
 * Unlocks the mutex. A waiting thread of higher priority runs immediately. Returns 0. ESTATE: the caller is not the
 * owner.
 */
static inline long mutex_unlock(struct mutex *mutex)
{
	uint32_t self = mutex_self();

	if (unlikely(mutex->ceiling))
		return mutex_unlock_ceiling(mutex);
	if (unlikely(!__atomic_compare_exchange_n(&mutex->owner, &self, 0, false, __ATOMIC_SEQ_CST,
						  __ATOMIC_RELAXED)))
		return mutex_unlock_again(mutex);
	return sync_wake(&mutex->waiters);
}

#endif
