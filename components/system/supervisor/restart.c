// SPDX-License-Identifier: BSD-2-Clause
/* From a crash to a component that serves again, or does not. */
#include <runtime/time.h>

#include <import/sched.h>

#include "supervisor.h"

#define PATIENCE_MS 1000 /* until the supervisor's own thread must have restored a component */

bool ward_claim(struct ward *ward)
{
	if (__atomic_exchange_n(&ward->claimed, 1, __ATOMIC_ACQUIRE))
		return false;
	limpet_call_component_close(LIMPET_SLOT_COMPONENTS + ward->info->component);
	return true;
}

/* Asks the supervisor's own thread, and lends it the caller's importance. */
static long restore_elsewhere(struct ward *ward)
{
	uint64_t deadline = limpet_time() + PATIENCE_MS * supervisor.ms;
	long status = LIMPET_OK;

	ward->status = LIMPET_ETIME;
	ward->waiter = 1 + limpet_thread_id();
	__atomic_store_n(&ward->wanted, true, __ATOMIC_RELEASE);
	tend_now();
	while (__atomic_load_n(&ward->waiter, __ATOMIC_ACQUIRE) && !status)
		status = sched_suspend_for(limpet_info()->thread, deadline);
	return ward->status;
}

static bool is_root(const struct ward *ward)
{
	return limpet_info()->thread_of[supervisor.root].component == ward->info->component;
}

/* Whether it may begin once more; counts. */
static bool within_limit(struct ward *ward, uint64_t now)
{
	if (now - ward->crashed > QUIET_MS * supervisor.ms)
		ward->row = 0;
	ward->crashed = now;
	return ward->row < ward->record->restart_limit;
}

static enum limpet_crash_outcome restart(struct ward *ward, const struct passage *passage,
					 long *status)
{
	uint32_t policy = ward->record->restart;

	if (policy == LIMPET_RESTART_HALT || is_root(ward))
		return LIMPET_CRASH_HALTED;
	if (policy == LIMPET_RESTART_STOP)
		return LIMPET_CRASH_STOPPED;
	if (!within_limit(ward, limpet_time()))
		return LIMPET_CRASH_LIMIT;
	*status = passage->direct ? ward_restore(ward) : restore_elsewhere(ward);
	if (*status)
		return LIMPET_CRASH_FAILED;
	ward->row++;
	ward->restarts++;
	return policy == LIMPET_RESTART_CHECKPOINT && ward->kept ? LIMPET_CRASH_CHECKPOINT
								 : LIMPET_CRASH_IMAGE;
}

/* Of the threads of a component that has crashed so often in a row. */
static uint32_t backoff(const struct ward *ward)
{
	uint32_t times = ward->row ? ward->row - 1 : 0;
	uint64_t ms = (uint64_t)ward->record->restart_backoff_ms
		      << (times < BACKOFF_DOUBLINGS ? times : BACKOFF_DOUBLINGS);

	return ms < UINT32_MAX ? (uint32_t)ms : UINT32_MAX;
}

/* It is open: its threads follow. */
static void go_on(struct ward *ward, uint32_t backoff_ms)
{
	uint64_t at = limpet_time() + backoff_ms * supervisor.ms;

	ward->poll = POLL_FIRST * supervisor.ms / 1000;
	ward->revive_at = at;
	__atomic_store_n(&ward->beaten, at, __ATOMIC_RELAXED);
	__atomic_fetch_or(&ward->reviving, ward_threads(ward->info), __ATOMIC_RELEASE);
	__atomic_store_n(&ward->claimed, 0, __ATOMIC_RELEASE);
}

void halt(void)
{
	limpet_call_component_close(LIMPET_SLOT_STOP);
	limpet_call_thread_dispatch(LIMPET_SLOT_THREADS + supervisor.root, 0);
}

void ward_crashed(struct ward *ward, const struct crash *crash, const struct passage *passage)
{
	struct limpet_crash *record = record_begin(ward, crash);
	struct outcome outcome = { 0 };

	if (record && passage->fault)
		record_fault(record, ward);
	outcome.what = restart(ward, passage, &outcome.status);
	outcome.restarts = ward->restarts;
	if (outcome.what <= LIMPET_CRASH_IMAGE) {
		outcome.backoff_ms = backoff(ward);
		go_on(ward, outcome.backoff_ms);
		outcome.ticks = limpet_time() - crash->time;
	} else {
		ward->closed = true;
	}
	if (record)
		record_end(record, &outcome);
	if (outcome.what <= LIMPET_CRASH_IMAGE)
		tend_now();
	if (!passage->quiet)
		say_crash(ward, crash, &outcome);
	if (outcome.what == LIMPET_CRASH_HALTED)
		halt();
}
