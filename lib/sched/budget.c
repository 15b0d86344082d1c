// SPDX-License-Identifier: BSD-2-Clause
#include <sched/budget.h>
#include <sched/core.h>
#include <sched/key.h>

#define SHARE_WHOLE (1ul << 23) /* all of the time */

uint64_t ticks_run(const struct sched *sched, unsigned int id)
{
	struct limpet_out out = { 0 };

	return limpet_call_thread_info(LIMPET_SLOT_THREADS + id, &out) ? sched->thread[id].charged
								       : out.w0;
}

/*
 * Returns the time at which a thread's turn ends. Returns LIMPET_NEVER if its time is unlimited, or no other thread needs the
 * CPU. A sleeping thread with the same key gets its turn when it wakes up, but not before this turn ends.
 */
static uint64_t turn_end(const struct sched *sched, unsigned int id, uint64_t now)
{
	const uint64_t end = now + sched->thread[id].turn, wake = timers_next(&sched->timers);

	if (!sched->thread[id].slice)
		return LIMPET_NEVER;
	return wake < end || policy_shared(sched, id) ? end : wake;
}

/* Starts to meter a thread. Returns the time at which its turn, budget or span ends; LIMPET_NEVER: none of these. */
static uint64_t meter_begin(struct sched *sched, unsigned int id)
{
	struct thread *thread = &sched->thread[id];
	uint64_t now = time_now(sched), end = turn_end(sched, id, now);

	sched->metered = id;
	sched->since = now;
	if (thread->budget && thread->left > 0 && now + (uint64_t)thread->left < end)
		end = now + (uint64_t)thread->left;
	if (thread->budget && POLICY_GRID && thread->until < end)
		end = thread->until;
	return end;
}

/* The deadline includes a part's alarm, because the part must get it even if no other thread comes first. */
uint64_t deadline_watched(struct sched *sched, unsigned int id, uint64_t deadline)
{
	const struct thread *thread = &sched->thread[id];
	uint64_t end = thread->metered ? meter_begin(sched, id) : LIMPET_NEVER;

	if (timers_pending(&sched->timers, TIMER_ALARM(id)) && thread->alarm.key < deadline)
		deadline = thread->alarm.key;
	return end < deadline ? end : deadline;
}

/* Charges the metered thread for its time until now, and stops metering. */
void meter_end(struct sched *sched)
{
	unsigned int id = sched->metered;
	struct thread *thread = &sched->thread[id];
	uint64_t now = time_now(sched), ticks = now - sched->since, run;

	sched->metered = NONE;
	thread->turn = ticks < thread->turn ? thread->turn - (uint32_t)ticks : 0;
	if (thread->slice && !thread->turn) {
		thread->turn = thread->slice;
		if (thread->state == STATE_READY && !thread->held) {
			policy_remove(sched, id);
			policy_insert(sched, id);
		}
	}
	if (!thread->budget)
		return;
	if (!thread->part) {
		run = ticks_run(sched, id);
		ticks = run - thread->charged;
		thread->charged = run;
	}
	budget_charge(sched, id, ticks);
}

/*
 * Moves budget from the threads that wait for this one, until it can continue. Returns whether it can. A part gets
 * nothing, because its nested scheduler can run another thread than the one that is waited for.
 */
static bool borrow(struct sched *sched, unsigned int id, uint64_t now)
{
	struct thread *thread = &sched->thread[id];

	for (unsigned int i = thread->part ? NONE : thread->lender; i; i = lender_after(sched, i)) {
		struct thread *lender = &sched->thread[i];

		if (!lender->budget && POLICY_UNLIMITED)
			return true;
		if (lender->budget && POLICY_GRID)
			policy_refill(lender, now);
		if (lender->budget && lender->left > 0) {
			thread->left += lender->left;
			lender->left = 0;
		}
		if (thread->left > 0)
			return true;
	}
	return false;
}

void renew_set(struct sched *sched, unsigned int id)
{
	const struct thread *thread = &sched->thread[id];

	timers_remove(&sched->timers, TIMER_RENEW(id));
	if (thread->held || thread->leaving)
		timer_set(sched, TIMER_RENEW(id), thread->until);
}

/* Holds a thread, which is not in a queue, until its next span. */
static void hold(struct sched *sched, unsigned int id)
{
	struct thread *thread = &sched->thread[id];

	thread->held = true;
	thread->overruns++;
	renew_set(sched, id);
}

static void unhold(struct sched *sched, unsigned int id)
{
	hold_end(sched, id);
	sched->recheck = true;
	policy_insert(sched, id);
}

void budget_charge(struct sched *sched, unsigned int id, uint64_t ticks)
{
	struct thread *thread = &sched->thread[id];
	uint64_t now = time_now(sched);

	thread->left -= (int64_t)ticks;
	if (POLICY_GRID)
		policy_refill(thread, now);
	if (thread->left > 0 || thread->state != STATE_READY || thread->held ||
	    borrow(sched, id, now))
		return;
	policy_remove(sched, id);
	hold(sched, id);
}

void budget_arrive(struct sched *sched, unsigned int id, uint64_t at)
{
	if (sched->thread[id].left > 0 || borrow(sched, id, at))
		policy_insert(sched, id);
	else
		hold(sched, id);
}

void budget_lent(struct sched *sched, unsigned int id)
{
	if (sched->thread[id].held && borrow(sched, id, time_now(sched)))
		unhold(sched, id);
}

/*
 * Returns a budget's share of SHARE_WHOLE. It is rounded down, so that budgets that fit exactly are admitted. The sum
 * of 1,023 shares is too small by at most 122 millionths of the time.
 */
static uint32_t share_of(uint64_t budget, uint64_t span)
{
	return span ? (uint32_t)(budget * SHARE_WHOLE / span) : 0;
}

/*
 * Replaces a thread's share of the reserved time. With `used`, a smaller share replaces the old one only at the end of
 * the span. Returns false and changes nothing if the sum exceeds the capacity.
 */
static bool share_set(struct sched *sched, struct thread *thread, uint32_t share, bool used)
{
	uint32_t counted = used && thread->share > share ? thread->share : share;
	uint64_t sum = sched->reserved - thread->share + counted;

	if (sum > sched->capacity * SHARE_WHOLE / 100)
		return false;
	sched->reserved = sum;
	thread->share = counted;
	thread->leaving = counted > share;
	return true;
}

void budget_renew(struct sched *sched, unsigned int id)
{
	struct thread *thread = &sched->thread[id];

	if (thread->leaving)
		share_set(sched, thread, share_of(thread->budget, thread->span), false);
	if (!thread->held)
		return;
	policy_refill(thread, thread->until);
	policy_key(sched, id);
	key_update(sched, id);
	if (thread->left > 0 || borrow(sched, id, thread->until))
		unhold(sched, id);
	else
		timer_set(sched, TIMER_RENEW(id), thread->until);
}

/*
 * Returns whether a thread has used budget in the current span. Without a budget, the span is the last one of the budget
 * that ended, if that one was used.
 */
static bool span_used(const struct thread *thread, uint64_t now)
{
	return thread->until > now && (!thread->budget || thread->left != (int64_t)thread->budget);
}

/*
 * Replaces a thread's budget. With `used`, the span goes on with the rest of the old budget. The rest stays below the
 * new budget, so span_used() still returns true.
 */
static void budget_replace(struct thread *thread, uint64_t budget, uint64_t span, bool used,
			   uint64_t now)
{
	thread->budget = budget;
	thread->span = span;
	if (!used) {
		thread->left = (int64_t)budget;
		thread->until = now + span;
	} else if (budget && thread->left >= (int64_t)budget) {
		thread->left = (int64_t)budget - 1;
	}
}

/* Holds a ready thread, or continues it, after a change of its budget. */
static void hold_update(struct sched *sched, unsigned int id, uint64_t now)
{
	struct thread *thread = &sched->thread[id];
	bool runs = !thread->budget || thread->left > 0 || thread->state != STATE_READY ||
		    borrow(sched, id, now);

	if (runs && thread->held) {
		unhold(sched, id);
	} else if (runs || thread->held) {
		renew_set(sched, id);
	} else {
		policy_remove(sched, id);
		hold(sched, id);
	}
}

long budget_set(struct sched *sched, unsigned int id, uint64_t budget, uint64_t span)
{
	struct thread *thread = &sched->thread[id];
	uint64_t now = time_now(sched);
	bool used;

	span = budget ? span : 0;
	if (sched->metered == id)
		meter_end(sched);
	if (budget == thread->budget && span == thread->span)
		return LIMPET_OK;
	used = span_used(thread, now);
	if (!share_set(sched, thread, share_of(budget, span), used))
		return LIMPET_EQUOTA;
	thread->charged = ticks_run(sched, id);
	thread->due = LIMPET_NEVER;
	thread->metered = budget || thread->slice;
	budget_replace(thread, budget, span, used, now);
	policy_key(sched, id);
	key_update(sched, id);
	hold_update(sched, id, now);
	return LIMPET_OK;
}

void slice_set(struct sched *sched, unsigned int id, uint32_t slice)
{
	struct thread *thread = &sched->thread[id];

	thread->slice = slice;
	thread->turn = slice;
	thread->metered = thread->budget || slice;
	sched->turns |= slice != 0;
}

/* Handles a due timer that does not end a wait: a part's alarm, the policy's timer, or a budget's renewal. */
void timer_other(struct sched *sched, unsigned int link)
{
	unsigned int id = ID_OF(link);

	sched->recheck = true;
	if (link == TIMER_ALARM(id))
		ids_add(&sched->alarms, id);
	else if (link == TIMER_POLICY)
		policy_timer(sched);
	else
		budget_renew(sched, id);
}
