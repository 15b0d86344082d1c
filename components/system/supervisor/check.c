// SPDX-License-Identifier: BSD-2-Clause
/* The work of the supervisor's own thread for a supervised component. */
#include <runtime/time.h>

#include <import/sched.h>

#include "debug.h"

/* The values of rax at __limpet_start; see lib/runtime/start.S. */
#define START_OWN 1
#define START_SPARE 2

/* Restores the component for a thread that waits for it. A thread that stops waiting has cancelled its request. */
static void restore_requested(struct supervised *supervised)
{
	uint32_t waiter;

	if (!__atomic_exchange_n(&supervised->wanted, false, __ATOMIC_ACQUIRE))
		return;
	waiter = supervised->waiter;
	supervised->status = supervised_restore(supervised);
	__atomic_store_n(&supervised->waiter, 0, __ATOMIC_RELEASE);
	sched_resume(waiter - 1);
}

/*
 * Restarts a thread if it is dead. A thread dies when it runs and leaves the stopped component. A thread that waits in
 * a component that it has invoked is woken after a while, so that it runs.
 */
static bool thread_restart(struct supervised *supervised, uint32_t id)
{
	uint32_t flags = limpet_info()->thread_of[id].flags;
	word scheduler = supervised->info->scheduler;
	struct limpet_out out = { 0 };

	limpet_call_thread_info(LIMPET_SLOT_THREADS + id, &out);
	if (out.w2 != LIMPET_THREAD_DEAD) {
		if (supervised->poll > supervisor.ms) {
			sched_wake(id);
			sched_resume(id);
		}
		return false;
	}
	return !limpet_call_thread_start(
		LIMPET_SLOT_THREADS + id, LIMPET_SLOT_COMPONENTS + supervised->info->component,
		supervised->record->entry, flags & LIMPET_THREAD_SPARE ? START_SPARE : START_OWN,
		id, scheduler ? LIMPET_SLOT_ENDPOINTS + scheduler : 0);
}

static uint64_t threads_restart(struct supervised *supervised, uint64_t now)
{
	uint64_t left = __atomic_load_n(&supervised->restarting, __ATOMIC_ACQUIRE);

	if (!left)
		return LIMPET_NEVER;
	if (now < supervised->restart_at)
		return supervised->restart_at;
	for (; left; left &= left - 1) {
		unsigned int n = (unsigned int)__builtin_ctzl(left);

		if (thread_restart(supervised,
				   n ? supervised->info->spare + n - 1 : supervised->info->thread))
			__atomic_fetch_and(&supervised->restarting, ~(1ul << n), __ATOMIC_RELAXED);
	}
	if (!__atomic_load_n(&supervised->restarting, __ATOMIC_RELAXED))
		return LIMPET_NEVER;
	if (supervised->poll < POLL_LAST * supervisor.ms / 1000)
		supervised->poll *= 2;
	return now + supervised->poll;
}

static uint64_t heartbeat_watch(struct supervised *supervised, uint64_t now)
{
	const struct crash_path path = { .direct = true };
	uint64_t due = __atomic_load_n(&supervised->last_heartbeat, __ATOMIC_RELAXED) +
		       supervised->record->heartbeat_ms * supervisor.ms;
	struct crash crash = { .time = now, .kind = LIMPET_CRASH_HEARTBEAT };

	if (!supervised->record->heartbeat_ms || supervised->closed || debug_has(supervised))
		return LIMPET_NEVER;
	if (due > now)
		return due;
	if (!supervised_claim(supervised)) /* another thread handles a crash of it */
		return now + supervisor.ms;
	supervised_crashed(supervised, &crash, &path);
	return limpet_time();
}

uint64_t supervised_check(struct supervised *supervised, uint64_t now)
{
	uint64_t restart_time, heart;

	restore_requested(supervised);
	heart = heartbeat_watch(supervised, now);
	restart_time = threads_restart(supervised, now);
	return heart < restart_time ? heart : restart_time;
}
