/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements read-write locks for many readers or one writer. A lock of zeros is free. A waiting
 * writer blocks new readers. The writer inherits the priority of threads that wait for it, and
 * readers inherit the priority of a waiting writer, one reader after the other.
 */
#ifndef SYNC_RWLOCK_H
#define SYNC_RWLOCK_H

#include <sync/core.h>

#define RWLOCK_WORDS ((LIMPET_THREADS_MAX + 63) / 64)

struct rwlock {
	uint64_t readers[RWLOCK_WORDS]; /* bit n of word w: thread 64 w + n reads */
	uint64_t used;			/* bit w: word w may have readers; a writer clears it */
	uint32_t writer;  /* 1 + id of the writer, which may still wait for readers; 0: none */
	uint32_t waiters; /* threads that wait until `writer` is 0 */
};

/* Slow parts of the functions below. */
long rwlock_read_slow(struct rwlock *lock, uint64_t deadline);
long rwlock_write_slow(struct rwlock *lock, uint64_t deadline);
long rwlock_write_drain(struct rwlock *lock, uint64_t deadline);
long rwlock_writer_wake(struct rwlock *lock);

/* Returns the word that contains the bit of the calling thread. */
static inline uint64_t *rwlock_word(struct rwlock *lock)
{
	return &lock->readers[limpet_thread_id() / 64];
}

/* Returns the bit of the calling thread in its word. */
static inline uint64_t rwlock_bit(void)
{
	return 1ul << limpet_thread_id() % 64;
}

/* Returns the id of a reading thread, or RWLOCK_NO_READER. Only the writer calls it. */
#define RWLOCK_NO_READER (RWLOCK_WORDS * 64u)
static inline unsigned int rwlock_reader(struct rwlock *lock)
{
	uint64_t used = __atomic_load_n(&lock->used, __ATOMIC_SEQ_CST);

	for (; unlikely(used); used &= used - 1) {
		unsigned int w = (unsigned int)__builtin_ctzl(used);
		uint64_t readers = __atomic_load_n(&lock->readers[w], __ATOMIC_SEQ_CST);

		if (readers)
			return w * 64 + (unsigned int)__builtin_ctzl(readers);
		__atomic_fetch_and(&lock->used, ~(1ul << w), __ATOMIC_SEQ_CST);
	}
	return RWLOCK_NO_READER;
}

/*
 * Marks the calling thread as a reader. Marks the word as used before the caller checks for a writer, so that the
 * caller sees a writer that clears the mark meanwhile.
 */
static inline void rwlock_mark(struct rwlock *lock)
{
	const uint64_t used = 1ul << limpet_thread_id() / 64;

	__atomic_fetch_or(rwlock_word(lock), rwlock_bit(), __ATOMIC_SEQ_CST);
	if (unlikely(!(__atomic_load_n(&lock->used, __ATOMIC_SEQ_CST) & used)))
		__atomic_fetch_or(&lock->used, used, __ATOMIC_SEQ_CST);
}

/*
 * Waits until no thread writes or waits to write, at most until the deadline, and locks for reading, together with
 * other readers. Returns 0. ETIME: the deadline has passed. ESTATE: the caller reads or writes already.
 */
static inline long rwlock_read(struct rwlock *lock, uint64_t deadline)
{
	if (unlikely(__atomic_load_n(rwlock_word(lock), __ATOMIC_RELAXED) & rwlock_bit()))
		return LIMPET_ESTATE;
	rwlock_mark(lock);
	if (likely(!__atomic_load_n(&lock->writer, __ATOMIC_SEQ_CST)))
		return LIMPET_OK;
	return rwlock_read_slow(lock, deadline);
}

/* Unlocks after reading, and wakes a writer that waits for the caller. Returns 0. ESTATE: the caller does not read. */
static inline long rwlock_read_end(struct rwlock *lock)
{
	uint64_t *word = rwlock_word(lock), self = rwlock_bit();

	if (unlikely(!(__atomic_load_n(word, __ATOMIC_RELAXED) & self)))
		return LIMPET_ESTATE;
	__atomic_fetch_and(word, ~self, __ATOMIC_SEQ_CST);
	return rwlock_writer_wake(lock);
}

/*
 * Waits until no other thread reads or writes, at most until the deadline, and locks for writing. Returns 0. ETIME: the
 * deadline has passed. ESTATE: the caller reads or writes already.
 */
static inline long rwlock_write(struct rwlock *lock, uint64_t deadline)
{
	uint32_t unlocked = 0;

	if (unlikely(!__atomic_compare_exchange_n(&lock->writer, &unlocked, limpet_thread_id() + 1,
						  false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)))
		return rwlock_write_slow(lock, deadline);
	if (likely(rwlock_reader(lock) == RWLOCK_NO_READER))
		return LIMPET_OK;
	return rwlock_write_drain(lock, deadline);
}

/* Unlocks after writing, and wakes a waiting thread. Returns 0. ESTATE: the caller does not write. */
static inline long rwlock_write_end(struct rwlock *lock)
{
	uint32_t self = limpet_thread_id() + 1;

	if (unlikely(!__atomic_compare_exchange_n(&lock->writer, &self, 0, false, __ATOMIC_SEQ_CST,
						  __ATOMIC_RELAXED)))
		return LIMPET_ESTATE;
	return sync_wake(&lock->waiters);
}

#endif
