// SPDX-License-Identifier: BSD-2-Clause
/* What the supervisor's own thread does for a ward. */
#include <runtime/time.h>

#include <import/sched.h>

#include "supervisor.h"

/* As __limpet_start is told; see lib/runtime/start.S. */
#define START_OWN 1
#define START_SPARE 2

/* Somebody waits for its memory. Who has given up meanwhile finds the component closed. */
static void wish_grant(struct ward *ward)
{
	uint32_t waiter = ward->waiter;

	if (!__atomic_exchange_n(&ward->wanted, false, __ATOMIC_ACQUIRE))
		return;
	ward->status = ward_restore(ward);
	__atomic_store_n(&ward->waiter, 0, __ATOMIC_RELEASE);
	sched_resume(waiter - 1);
}

/*
 * A thread is started again once it is dead. It is when it has run, and left the component that was
 * stopped; if it waits for long, in whatever component that it had invoked, it is woken.
 */
static bool thread_revive(struct ward *ward, uint32_t id)
{
	uint32_t flags = limpet_info()->thread_of[id].flags;
	word scheduler = ward->info->scheduler;
	struct limpet_out out = { 0 };

	limpet_call_thread_info(LIMPET_SLOT_THREADS + id, &out);
	if (out.w2 != LIMPET_THREAD_DEAD) {
		if (ward->poll > supervisor.ms) {
			sched_wake(id);
			sched_resume(id);
		}
		return false;
	}
	return !limpet_call_thread_start(
		LIMPET_SLOT_THREADS + id, LIMPET_SLOT_COMPONENTS + ward->info->component,
		ward->record->entry, flags & LIMPET_THREAD_SPARE ? START_SPARE : START_OWN, id,
		scheduler ? LIMPET_SLOT_ENDPOINTS + scheduler : 0);
}

static uint64_t threads_revive(struct ward *ward, uint64_t now)
{
	uint64_t left = __atomic_load_n(&ward->reviving, __ATOMIC_ACQUIRE);

	if (!left)
		return LIMPET_NEVER;
	if (now < ward->revive_at)
		return ward->revive_at;
	for (; left; left &= left - 1) {
		unsigned int n = (unsigned int)__builtin_ctzl(left);

		if (thread_revive(ward, n ? ward->info->spare + n - 1 : ward->info->thread))
			__atomic_fetch_and(&ward->reviving, ~(1ul << n), __ATOMIC_RELAXED);
	}
	if (!__atomic_load_n(&ward->reviving, __ATOMIC_RELAXED))
		return LIMPET_NEVER;
	if (ward->poll < POLL_LAST * supervisor.ms / 1000)
		ward->poll *= 2;
	return now + ward->poll;
}

static uint64_t heart_watch(struct ward *ward, uint64_t now)
{
	const struct passage passage = { .direct = true };
	uint64_t due = __atomic_load_n(&ward->beaten, __ATOMIC_RELAXED) +
		       ward->record->heartbeat_ms * supervisor.ms;
	struct crash crash = { .time = now, .kind = LIMPET_CRASH_HEARTBEAT };

	if (!ward->record->heartbeat_ms || ward->closed)
		return LIMPET_NEVER;
	if (due > now)
		return due;
	if (!ward_claim(ward)) /* it is being seen to */
		return now + supervisor.ms;
	ward_crashed(ward, &crash, &passage);
	return limpet_time();
}

uint64_t ward_tend(struct ward *ward, uint64_t now)
{
	uint64_t revive, heart;

	wish_grant(ward);
	heart = heart_watch(ward, now);
	revive = threads_revive(ward, now);
	return heart < revive ? heart : revive;
}
