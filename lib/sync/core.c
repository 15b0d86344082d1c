// SPDX-License-Identifier: BSD-2-Clause
#include <sync/core.h>

#include <import/sched.h>

long sync_wait(uint64_t *waiters, sync_try *try, void *object, const void *want, uint64_t deadline)
{
	const uint64_t self = sync_self();
	long status = LIMPET_OK;
	word owner = 0;
	bool taken;

	__atomic_fetch_or(waiters, self, __ATOMIC_SEQ_CST);
	while (!(taken = try(object, want, &owner)) && status == LIMPET_OK)
		status = sched_suspend_for(owner, deadline);
	__atomic_fetch_and(waiters, ~self, __ATOMIC_SEQ_CST);
	return taken ? LIMPET_OK : status;
}

/* Who waited may have what it wanted by now, and have ended: then there is nobody to wake. */
static long woken(long status)
{
	return status >= 0 || status == LIMPET_ENOENT ? LIMPET_OK : status;
}

long sync_wake_best(uint64_t threads)
{
	return woken(sched_resume_best(threads));
}

long sync_wake_thread(unsigned int thread)
{
	return woken(sched_resume(thread));
}

long sync_wake_each(uint64_t threads)
{
	long id = 0;

	while (threads && id >= 0) {
		id = sched_resume_best(threads);
		threads &= ~(1ul << (id & 63));
	}
	return woken(id);
}
