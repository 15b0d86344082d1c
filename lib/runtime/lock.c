// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>
#include <runtime/lock.h>

#include <import/sched.h>

static bool lock_try(struct lock *lock, unsigned int id)
{
	uint32_t free = 0;

	return __atomic_compare_exchange_n(&lock->owner, &free, id + 1, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

/* The bit is set before each try, so whoever drops the lock after it sees the bit. */
static void lock_wait(struct lock *lock, unsigned int id)
{
	__atomic_fetch_or(&lock->waiters, 1ul << id, __ATOMIC_SEQ_CST);
	while (!lock_try(lock, id)) {
		sched_suspend();
		__atomic_fetch_or(&lock->waiters, 1ul << id, __ATOMIC_SEQ_CST);
	}
	__atomic_fetch_and(&lock->waiters, ~(1ul << id), __ATOMIC_SEQ_CST);
}

void lock_take(struct lock *lock)
{
	unsigned int id = limpet_thread_id();

	if (!lock_try(lock, id))
		lock_wait(lock, id);
}

void lock_drop(struct lock *lock)
{
	uint64_t waiters;
	unsigned int id;

	__atomic_store_n(&lock->owner, 0, __ATOMIC_SEQ_CST);
	waiters = __atomic_load_n(&lock->waiters, __ATOMIC_SEQ_CST);
	if (!waiters)
		return;
	id = (unsigned int)__builtin_ctzl(waiters);
	__atomic_fetch_and(&lock->waiters, ~(1ul << id), __ATOMIC_SEQ_CST);
	sched_resume(id);
}
