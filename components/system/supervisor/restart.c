// SPDX-License-Identifier: BSD-2-Clause
/* Handles a crash: restarts the component, or leaves it closed, as its policy says. */
#include <runtime/time.h>

#include <import/sched.h>

#include "supervisor.h"

#define PATIENCE_MS 1000 /* time limit for the supervisor's own thread to begin */

bool supervised_claim(struct supervised *supervised)
{
	if (__atomic_exchange_n(&supervised->claimed, 1, __ATOMIC_ACQUIRE))
		return false;
	limpet_call_component_close(LIMPET_SLOT_COMPONENTS + supervised->info->component);
	return true;
}

/*
 * Requests a restore by the supervisor's own thread, and lends it the caller's priority. Returns the result. If that
 * thread has not started in time, cancels the request. Otherwise waits until the end, because it opens the component.
 */
static long restore_elsewhere(struct supervised *supervised)
{
	uint64_t deadline = limpet_time() + PATIENCE_MS * supervisor.ms;

	supervised->waiter = 1 + limpet_thread_id();
	__atomic_store_n(&supervised->wanted, true, __ATOMIC_RELEASE);
	check_now();
	while (__atomic_load_n(&supervised->waiter, __ATOMIC_ACQUIRE)) {
		if (!sched_suspend_for(limpet_info()->thread, deadline))
			continue;
		if (__atomic_exchange_n(&supervised->wanted, false, __ATOMIC_ACQUIRE))
			return LIMPET_ETIME;
		deadline = LIMPET_NEVER;
	}
	return supervised->status;
}

static bool is_root(const struct supervised *supervised)
{
	return limpet_info()->thread_of[supervisor.root].component == supervised->info->component;
}

/* Returns whether the component may be restarted again. Stores the time of the crash. */
static bool within_limit(struct supervised *supervised, uint64_t now)
{
	if (now - supervised->crashed > QUIET_MS * supervisor.ms)
		supervised->row = 0;
	supervised->crashed = now;
	return supervised->row < supervised->record->restart_limit;
}

static enum limpet_crash_outcome restart(struct supervised *supervised,
					 const struct crash_path *path, long *status)
{
	uint32_t policy = supervised->record->restart;
	enum limpet_crash_outcome from;

	if (policy == LIMPET_RESTART_HALT || is_root(supervised))
		return LIMPET_CRASH_HALTED;
	if (policy == LIMPET_RESTART_STOP)
		return LIMPET_CRASH_STOPPED;
	if (!within_limit(supervised, limpet_time()) && !supervised->swap)
		return LIMPET_CRASH_LIMIT;
	from = policy == LIMPET_RESTART_CHECKPOINT && supervised->kept && !supervised->swap
		       ? LIMPET_CRASH_CHECKPOINT
		       : LIMPET_CRASH_IMAGE;
	*status = path->direct ? supervised_restore(supervised) : restore_elsewhere(supervised);
	if (*status)
		return LIMPET_CRASH_FAILED;
	supervised->row++;
	supervised->restarts++;
	return from;
}

/* Returns the delay before the threads of a component start, in ms. It doubles with each crash in a row. */
static uint32_t backoff(const struct supervised *supervised)
{
	uint32_t times = supervised->row ? supervised->row - 1 : 0;
	uint64_t ms = (uint64_t)supervised->record->restart_backoff_ms
		      << (times < BACKOFF_DOUBLINGS ? times : BACKOFF_DOUBLINGS);

	return ms < UINT32_MAX ? (uint32_t)ms : UINT32_MAX;
}

void supervised_continue(struct supervised *supervised, uint32_t backoff_ms)
{
	uint64_t at = limpet_time() + backoff_ms * supervisor.ms;

	supervised->poll = POLL_FIRST * supervisor.ms / 1000;
	supervised->restart_at = at;
	__atomic_store_n(&supervised->last_heartbeat, at, __ATOMIC_RELAXED);
	__atomic_fetch_or(&supervised->restarting, supervised_threads(supervised->info),
			  __ATOMIC_RELEASE);
	__atomic_store_n(&supervised->claimed, 0, __ATOMIC_RELEASE);
}

void halt(void)
{
	limpet_call_component_close(LIMPET_SLOT_STOP);
	limpet_call_thread_dispatch(LIMPET_SLOT_THREADS + supervisor.root, 0);
}

void supervised_crashed(struct supervised *supervised, const struct crash *crash,
			const struct crash_path *path)
{
	struct limpet_crash *record = record_begin(supervised, crash);
	struct outcome outcome = { 0 };

	if (record && path->fault)
		record_fault(record, supervised);
	outcome.back = limpet_time() < supervised->trial_until;
	supervised->swap = outcome.back;
	supervised->trial_until = 0;
	outcome.what = restart(supervised, path, &outcome.status);
	outcome.restarts = supervised->restarts;
	if (outcome.what <= LIMPET_CRASH_IMAGE) {
		outcome.backoff_ms = backoff(supervised);
		supervised_continue(supervised, outcome.backoff_ms);
		outcome.ticks = limpet_time() - crash->time;
	} else {
		supervised->closed = true;
	}
	if (record)
		record_end(record, &outcome);
	if (outcome.what <= LIMPET_CRASH_IMAGE)
		check_now();
	if (!path->quiet)
		say_crash(supervised, crash, &outcome);
	if (outcome.what == LIMPET_CRASH_HALTED)
		halt();
}
