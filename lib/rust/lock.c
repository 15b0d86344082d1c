// SPDX-License-Identifier: BSD-2-Clause
/* Gives inline functions of lib/sync a symbol for Rust. sync.rs declares them, and the layout of a mutex. */
#include <sync/mutex.h>

_Static_assert(sizeof(struct mutex) == 12 && offsetof(struct mutex, ceiling) == 5,
	       "struct Raw of sync.rs has this layout");

long limpet_rust_lock(struct mutex *mutex, uint64_t deadline)
{
	return mutex_lock(mutex, deadline);
}

long limpet_rust_unlock(struct mutex *mutex)
{
	return mutex_unlock(mutex);
}
