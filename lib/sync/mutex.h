/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Mutual exclusion between the threads that are inside a component. All zero is free.
 *
 *	static struct mutex plain;
 *	static struct mutex again = { .recursive = true };
 *	static struct mutex high = { .ceiling = 20 };
 *
 * Priority inheritance: while a thread waits, the owner is at least as important as that thread,
 * and so is whomever the owner waits for. With a ceiling the owner gets that priority as soon as it
 * has the mutex, so that none of the threads that use it preempts it; that takes two invocations
 * each time. The ceiling is the priority of the most important thread that uses the mutex; mutexes
 * with one are given back in the opposite order.
 *
 * Among threads of the same importance a mutex that is given up and taken again at once is not
 * handed over: who waits has its turn when the owner waits for something.
 */
#ifndef SYNC_MUTEX_H
#define SYNC_MUTEX_H

#include <sync/core.h>

_Static_assert(LIMPET_THREADS_MAX < 0x10000, "ids have 16 bits in `owner`");

struct mutex {
	uint32_t owner; /* 1 + id of the thread that has it, MUTEX_AGAIN for each time more; 0: free */
	bool recursive;
	uint8_t ceiling; /* 1 to 255, 0: none */
	uint8_t before;	 /* the priority that the owner goes back to */
	uint32_t waiters;
};

#define MUTEX_AGAIN 0x10000u
#define MUTEX_OWNER 0xffffu

/* For the functions below. */
long mutex_lock_slow(struct mutex *mutex, uint64_t deadline);
long mutex_lock_ceiling(struct mutex *mutex, uint64_t deadline);
long mutex_unlock_again(struct mutex *mutex);
long mutex_unlock_ceiling(struct mutex *mutex);

/* As it is written in `owner`. */
static inline uint32_t mutex_self(void)
{
	return limpet_thread_id() + 1;
}

/* Does the calling thread have it? */
static inline bool mutex_mine(const struct mutex *mutex)
{
	return (__atomic_load_n(&mutex->owner, __ATOMIC_RELAXED) & MUTEX_OWNER) == mutex_self();
}

/* Takes it if it is free and has no ceiling. */
static inline bool mutex_take(struct mutex *mutex, uint32_t *owner)
{
	*owner = 0;
	return __atomic_compare_exchange_n(&mutex->owner, owner, mutex_self(), false,
					   __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

/*
 * Waits until the mutex is free and takes it. ETIME. ESTATE: the caller has it already, and it is
 * not recursive. ERANGE: taken 2^16 times by the caller; or the caller is more important than the
 * ceiling.
 */
static inline long mutex_lock(struct mutex *mutex, uint64_t deadline)
{
	uint32_t owner;

	if (unlikely(mutex->ceiling))
		return mutex_lock_ceiling(mutex, deadline);
	return likely(mutex_take(mutex, &owner)) ? LIMPET_OK : mutex_lock_slow(mutex, deadline);
}

/* Takes the mutex, without waiting. EBUSY: another thread has it. ESTATE, ERANGE: as mutex_lock(). */
long mutex_try(struct mutex *mutex);

/* Gives it up. A thread that waits, and is more important, runs at once. ESTATE: not the caller's. */
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
