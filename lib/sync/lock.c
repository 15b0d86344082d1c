// SPDX-License-Identifier: BSD-2-Clause
#include <sync/lock.h>

void lock_take(struct lock *lock)
{
	if (unlikely(mutex_lock(&lock->mutex, LIMPET_NEVER)))
		__builtin_trap();
}

void lock_drop(struct lock *lock)
{
	if (unlikely(mutex_unlock(&lock->mutex)))
		__builtin_trap();
}
