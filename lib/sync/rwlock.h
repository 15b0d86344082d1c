/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Read-write locks: many readers or one writer. All zero is free. A writer that waits keeps new
 * readers out. While somebody waits for the writer, and while a writer waits for readers, those
 * inherit its importance; of several readers one after the other.
 */
#ifndef SYNC_RWLOCK_H
#define SYNC_RWLOCK_H

#include <sync/core.h>

struct rwlock {
	uint64_t readers; /* bit n: thread n reads */
	uint32_t writer;  /* 1 + id of the thread that writes, or will when the readers are gone */
	uint64_t waiters; /* for `writer` to be 0 */
};

/* Slow parts of the functions below. */
long rwlock_read_slow(struct rwlock *lock, uint64_t deadline);
long rwlock_write_slow(struct rwlock *lock, uint64_t deadline);
long rwlock_write_drain(struct rwlock *lock, uint64_t deadline);
long rwlock_writer_wake(struct rwlock *lock);

/*
 * To read, together with other readers. ETIME. ESTATE: the caller reads or writes already.
 */
static inline long rwlock_read(struct rwlock *lock, uint64_t deadline)
{
	uint64_t self = sync_self();

	if (unlikely(__atomic_load_n(&lock->readers, __ATOMIC_RELAXED) & self))
		return LIMPET_ESTATE;
	__atomic_fetch_or(&lock->readers, self, __ATOMIC_SEQ_CST);
	if (likely(!__atomic_load_n(&lock->writer, __ATOMIC_SEQ_CST)))
		return LIMPET_OK;
	return rwlock_read_slow(lock, deadline);
}

/* The end of that. ESTATE: the caller does not read. */
static inline long rwlock_read_end(struct rwlock *lock)
{
	uint64_t self = sync_self();

	if (unlikely(!(__atomic_load_n(&lock->readers, __ATOMIC_RELAXED) & self)))
		return LIMPET_ESTATE;
	__atomic_fetch_and(&lock->readers, ~self, __ATOMIC_SEQ_CST);
	return rwlock_writer_wake(lock);
}

/* To write, alone. ETIME. ESTATE: the caller reads or writes already. */
static inline long rwlock_write(struct rwlock *lock, uint64_t deadline)
{
	uint32_t nobody = 0;

	if (unlikely(!__atomic_compare_exchange_n(&lock->writer, &nobody, limpet_thread_id() + 1,
						  false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)))
		return rwlock_write_slow(lock, deadline);
	if (likely(!__atomic_load_n(&lock->readers, __ATOMIC_SEQ_CST)))
		return LIMPET_OK;
	return rwlock_write_drain(lock, deadline);
}

/* The end of that. ESTATE: the caller does not write. */
static inline long rwlock_write_end(struct rwlock *lock)
{
	uint32_t self = limpet_thread_id() + 1;

	if (unlikely(!__atomic_compare_exchange_n(&lock->writer, &self, 0, false, __ATOMIC_SEQ_CST,
						  __ATOMIC_RELAXED)))
		return LIMPET_ESTATE;
	return sync_wake(&lock->waiters);
}

#endif
