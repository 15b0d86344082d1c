// SPDX-License-Identifier: BSD-2-Clause
#include <sync/semaphore.h>

static bool try_semaphore(void *object, const void *want, word *owner)
{
	(void)want, (void)owner;
	return semaphore_try(object);
}

/*
 * Two semaphore_up() can resume the same waiting thread, if both come before it runs. That thread therefore wakes the
 * next one.
 */
long semaphore_wait(struct semaphore *semaphore, uint64_t deadline)
{
	long status = sync_wait(&semaphore->waiters, try_semaphore, semaphore, NULL, deadline);

	if (__atomic_load_n(&semaphore->value, __ATOMIC_SEQ_CST))
		sync_wake(&semaphore->waiters);
	return status;
}
