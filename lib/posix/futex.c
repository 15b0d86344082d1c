// SPDX-License-Identifier: BSD-2-Clause
/* Serves Linux's futex(2). */
#include <import/sched.h>
#include <linux/futex.h>

#include "call.h"
#include "clock.h"
#include "posix.h"
#include "waiter.h"

/* Waits at an address. If the deadline depends on CLOCK_REALTIME, setting that clock ends the wait with 0. */
static long wait_at(const uint32_t *address, uint64_t deadline, bool real, uint32_t bits)
{
	struct posix_thread *thread = posix_self();
	long status;

	waiter_begin(thread, address, bits, WAITS);
	thread->sleeps_real = real;
	status = thread_wait(thread, deadline, 0);
	thread->sleeps_real = false;
	thread->futex = NULL;
	return status;
}

/* Can return 0 without a wake-up, as futex(2) permits. The program then calls again. */
static long futex_wait_value(const uint32_t *address, uint32_t value, uint64_t deadline, bool real,
			     uint32_t bits)
{
	long status;

	if (__atomic_load_n(address, __ATOMIC_SEQ_CST) != value)
		return -EAGAIN;
	status = wait_at(address, deadline, real, bits);
	return status == -EINTR && deadline == LIMPET_NEVER ? -ERESTART : status;
}

/* Returns the threads that wait for the owner of a lock: bit n is the thread of place n. */
static uint64_t waiters_at(const uint32_t *address)
{
	uint64_t set = 0;

	for (unsigned int id = 0; id < POSIX_THREADS; id++)
		if (posix_threads[id].waiting == WAITS_FOR_OWNER &&
		    posix_threads[id].futex == address)
			set |= 1ul << id;
	return set;
}

/* Returns the value of the word of a lock that thread `tid` holds; 0: no thread holds it. */
static uint32_t owned(const uint32_t *address, uint32_t tid)
{
	return tid | (waiters_at(address) ? FUTEX_WAITERS : 0);
}

/*
 * Tries to lock a lock. If that fails, marks in its word that a thread waits. Returns 0 for success, or the owner's id.
 */
static uint32_t pi_try(uint32_t *address, uint32_t self)
{
	uint32_t old = __atomic_load_n(address, __ATOMIC_SEQ_CST), new;

	do {
		new = old &FUTEX_TID_MASK ? old | FUTEX_WAITERS
					  : owned(address, self) | (old & FUTEX_OWNER_DIED);
	} while (!__atomic_compare_exchange_n(address, &old, new, false, __ATOMIC_SEQ_CST,
					      __ATOMIC_SEQ_CST));
	return old & FUTEX_TID_MASK;
}

/* Returns whether the time of an operation is a time of CLOCK_REALTIME. */
static bool is_real(int operation)
{
	return operation & FUTEX_CLOCK_REALTIME || (operation & FUTEX_CMD_MASK) == FUTEX_LOCK_PI;
}

/*
 * Returns the deadline of an operation. FUTEX_WAIT has a relative time, and the other operations have an absolute time.
 */
static long deadline_of(int operation, word time, uint64_t *deadline)
{
	const struct timespec *wanted = (const struct timespec *)time;

	*deadline = LIMPET_NEVER;
	if (!wanted)
		return 0;
	if (time_bad(wanted))
		return -EINVAL;
	if ((operation & FUTEX_CMD_MASK) == FUTEX_WAIT)
		*deadline = clock_after(wanted);
	else
		*deadline = clock_deadline(is_real(operation) ? CLOCK_REALTIME : CLOCK_MONOTONIC,
					   wanted);
	return 0;
}

/* Computes the deadline again after each wait, because setting CLOCK_REALTIME ends waits that depend on it. */
static long pi_lock(uint32_t *address, int operation, word time)
{
	const bool once = (operation & FUTEX_CMD_MASK) == FUTEX_TRYLOCK_PI;
	struct posix_thread *thread = posix_self();
	uint32_t self = posix_id(thread), owner;
	uint64_t deadline;
	long status = 0;

	while (!status && (owner = pi_try(address, self))) {
		if (owner == self)
			return -EDEADLK;
		if (!thread_of(owner))
			return -ESRCH;
		if (once)
			return -EAGAIN;
		deadline_of(operation, time, &deadline);
		waiter_begin(thread, address, FUTEX_BITSET_MATCH_ANY, WAITS_FOR_OWNER);
		thread->sleeps_real = time && is_real(operation);
		status = thread_wait(thread, deadline, owner);
		thread->sleeps_real = false;
		thread->futex = NULL;
	}
	return status == -EINTR ? -ERESTART : status;
}

/*
 * Unlocks a lock. The word is free before the first waiter runs and locks it. If another thread locks it first, the
 * waiter waits again. The scheduler chooses the waiter, because it knows the inherited priorities.
 */
static long pi_unlock(uint32_t *address)
{
	uint64_t set = waiters_at(address);

	if ((__atomic_load_n(address, __ATOMIC_SEQ_CST) & FUTEX_TID_MASK) != posix_id(posix_self()))
		return -EPERM;
	__atomic_store_n(address, set ? FUTEX_WAITERS : 0, __ATOMIC_SEQ_CST);
	if (!set)
		return 0;
	posix_unlock();
	sched_resume_best(set, posix_first);
	posix_lock();
	return 0;
}

static long operate(uint32_t *address, int operation, uint32_t value, word time, uint32_t *address2,
		    uint32_t value3)
{
	uint64_t deadline = LIMPET_NEVER;
	long status = 0;

	switch (operation & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		status = deadline_of(operation, time, &deadline);
	}
	if (status)
		return status;
	switch (operation & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
		return futex_wait_value(address, value, deadline, false, FUTEX_BITSET_MATCH_ANY);
	case FUTEX_WAIT_BITSET:
		return value3 ? futex_wait_value(address, value, deadline,
						 time && is_real(operation), value3)
			      : -EINVAL;
	case FUTEX_WAKE:
		return waiters_wake(address, value, FUTEX_BITSET_MATCH_ANY);
	case FUTEX_WAKE_BITSET:
		return value3 ? waiters_wake(address, value, value3) : -EINVAL;
	case FUTEX_CMP_REQUEUE:
		if (__atomic_load_n(address, __ATOMIC_SEQ_CST) != value3)
			return -EAGAIN;
		return waiters_move(address, value, (uint32_t)time, address2);
	case FUTEX_REQUEUE:
		return waiters_move(address, value, (uint32_t)time, address2);
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
	case FUTEX_TRYLOCK_PI:
		return pi_lock(address, operation, time);
	case FUTEX_UNLOCK_PI:
		return pi_unlock(address);
	default:
		return -ENOSYS;
	}
}

long call_futex(word address, word operation, word value, word time, word address2, word value3)
{
	long status;

	if (address % sizeof(uint32_t))
		return -EINVAL;
	posix_lock();
	status = operate((uint32_t *)address, (int)operation, (uint32_t)value, time,
			 (uint32_t *)address2, (uint32_t)value3);
	posix_unlock();
	return status;
}

long futex_wait(const uint32_t *address, uint64_t deadline, bool real)
{
	return wait_at(address, deadline, real, FUTEX_BITSET_MATCH_ANY);
}
