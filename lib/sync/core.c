// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/time.h>

#include <sync/core.h>

#include <import/sched.h>

long sync_wait(uint32_t *waiters, sync_try *try, void *object, const void *want, uint64_t deadline)
{
	long status = LIMPET_OK;
	word owner = 0;
	bool taken;

	__atomic_fetch_add(waiters, 1, __ATOMIC_SEQ_CST);
	for (;;) {
		uint64_t since = limpet_time();

		taken = try(object, want, &owner);
		if (taken || status != LIMPET_OK)
			break;
		status = sched_suspend_on((word)waiters, since, owner, deadline);
	}
	__atomic_fetch_sub(waiters, 1, __ATOMIC_SEQ_CST);
	return taken ? LIMPET_OK : status;
}

/* ENOENT is not an error: the waiter may have taken the object meanwhile, or have ended. */
static long woken(long status)
{
	return status >= 0 || status == LIMPET_ENOENT ? LIMPET_OK : status;
}

long sync_wake_best(const uint32_t *waiters)
{
	return woken(sched_resume_on((word)waiters));
}

long sync_wake_thread(unsigned int thread)
{
	return woken(sched_resume(thread));
}

long sync_wake_each(const uint32_t *waiters)
{
	if (!__atomic_load_n(waiters, __ATOMIC_SEQ_CST))
		return LIMPET_OK;
	return woken(sched_resume_all((word)waiters));
}
