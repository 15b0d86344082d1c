// SPDX-License-Identifier: BSD-2-Clause
#include <sync/rwlock.h>

#include <import/sched.h>

/* Ends the caller's reading, and wakes a writer that waits for it. */
long rwlock_writer_wake(struct rwlock *lock)
{
	uint32_t writer = __atomic_load_n(&lock->writer, __ATOMIC_SEQ_CST);

	return likely(!writer) ? LIMPET_OK : sync_wake_thread(writer - 1);
}

static bool try_read(void *object, const void *want, word *owner)
{
	struct rwlock *lock = object;
	uint32_t writer = __atomic_load_n(&lock->writer, __ATOMIC_SEQ_CST);

	(void)want;
	if (!writer) {
		rwlock_mark(lock);
		writer = __atomic_load_n(&lock->writer, __ATOMIC_SEQ_CST);
		if (!writer)
			return true;
		rwlock_read_end(lock);
	}
	*owner = writer - 1;
	return false;
}

/*
 * Waits for the writer that existed when the caller started to read. Each woken reader wakes the
 * next one.
 */
long rwlock_read_slow(struct rwlock *lock, uint64_t deadline)
{
	long status = rwlock_read_end(lock), woken;

	if (status)
		return status;
	if (__atomic_load_n(&lock->writer, __ATOMIC_RELAXED) == limpet_thread_id() + 1)
		return LIMPET_ESTATE;
	status = sync_wait(&lock->waiters, try_read, lock, NULL, deadline);
	woken = sync_wake(&lock->waiters);
	return status ? status : woken;
}

static bool try_write(void *object, const void *want, word *owner)
{
	struct rwlock *lock = object;
	uint32_t writer = 0;

	(void)want;
	if (__atomic_compare_exchange_n(&lock->writer, &writer, limpet_thread_id() + 1, false,
					__ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		return true;
	*owner = writer - 1;
	return false;
}

long rwlock_write_slow(struct rwlock *lock, uint64_t deadline)
{
	long status;

	if (__atomic_load_n(&lock->writer, __ATOMIC_RELAXED) == limpet_thread_id() + 1 ||
	    __atomic_load_n(rwlock_word(lock), __ATOMIC_RELAXED) & rwlock_bit())
		return LIMPET_ESTATE;
	status = sync_wait(&lock->waiters, try_write, lock, NULL, deadline);
	if (status) {
		sync_wake(&lock->waiters);
		return status;
	}
	return rwlock_write_drain(lock, deadline);
}

/* Waits for the present readers to finish. The caller has already prevented new readers. */
long rwlock_write_drain(struct rwlock *lock, uint64_t deadline)
{
	bool reads = __atomic_load_n(rwlock_word(lock), __ATOMIC_RELAXED) & rwlock_bit();
	long status = reads ? LIMPET_ESTATE : LIMPET_OK;
	unsigned int reader = rwlock_reader(lock);

	while (reader != RWLOCK_NO_READER && status == LIMPET_OK) {
		status = sched_suspend_for(reader, deadline);
		reader = rwlock_reader(lock);
	}
	if (reader == RWLOCK_NO_READER)
		return LIMPET_OK;
	rwlock_write_end(lock);
	return status;
}
