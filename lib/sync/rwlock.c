// SPDX-License-Identifier: BSD-2-Clause
#include <sync/rwlock.h>

#include <import/sched.h>

/* The caller reads no more: a writer that waits for it looks again. */
long rwlock_writer_wake(struct rwlock *l)
{
	uint32_t writer = __atomic_load_n(&l->writer, __ATOMIC_SEQ_CST);

	return likely(!writer) ? LIMPET_OK : sync_wake_thread(writer - 1);
}

static bool try_read(void *object, const void *want, word *owner)
{
	struct rwlock *l = object;
	uint32_t writer = __atomic_load_n(&l->writer, __ATOMIC_SEQ_CST);

	(void)want;
	if (!writer) {
		__atomic_fetch_or(&l->readers, sync_self(), __ATOMIC_SEQ_CST);
		writer = __atomic_load_n(&l->writer, __ATOMIC_SEQ_CST);
		if (!writer)
			return true;
		rwlock_read_end(l);
	}
	*owner = writer - 1;
	return false;
}

/* There was a writer when the caller had begun to read. Each reader that is woken wakes the next. */
long rwlock_read_slow(struct rwlock *l, uint64_t deadline)
{
	long status = rwlock_read_end(l), woken;

	if (status)
		return status;
	if (__atomic_load_n(&l->writer, __ATOMIC_RELAXED) == limpet_thread_id() + 1)
		return LIMPET_ESTATE;
	status = sync_wait(&l->waiters, try_read, l, NULL, deadline);
	woken = sync_wake(&l->waiters);
	return status ? status : woken;
}

static bool try_write(void *object, const void *want, word *owner)
{
	struct rwlock *l = object;
	uint32_t writer = 0;

	(void)want;
	if (__atomic_compare_exchange_n(&l->writer, &writer, limpet_thread_id() + 1, false,
					__ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		return true;
	*owner = writer - 1;
	return false;
}

long rwlock_write_slow(struct rwlock *l, uint64_t deadline)
{
	long status;

	if (__atomic_load_n(&l->writer, __ATOMIC_RELAXED) == limpet_thread_id() + 1 ||
	    __atomic_load_n(&l->readers, __ATOMIC_RELAXED) & sync_self())
		return LIMPET_ESTATE;
	status = sync_wait(&l->waiters, try_write, l, NULL, deadline);
	if (status) {
		sync_wake(&l->waiters);
		return status;
	}
	return rwlock_write_drain(l, deadline);
}

/* Nobody begins to read any more; the caller waits for those that do. */
long rwlock_write_drain(struct rwlock *l, uint64_t deadline)
{
	uint64_t readers = __atomic_load_n(&l->readers, __ATOMIC_SEQ_CST);
	long status = readers & sync_self() ? LIMPET_ESTATE : LIMPET_OK;

	while (readers && status == LIMPET_OK) {
		status = sched_suspend_for((word)__builtin_ctzl(readers), deadline);
		readers = __atomic_load_n(&l->readers, __ATOMIC_SEQ_CST);
	}
	if (!readers)
		return LIMPET_OK;
	rwlock_write_end(l);
	return status;
}
