// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/format.h>

#include <sched/budget.h>
#include <sched/core.h>
#include <sched/lend.h>
#include <sched/setup.h>

#define SHARE_WHOLE (1ul << 23) /* all of the time */

/*
 * Returns the run time that the kernel counted for a thread, in ticks. For a part it counts only the nested scheduler's
 * own thread.
 */
static uint64_t ticks_run(const struct sched *s, unsigned int id)
{
	struct limpet_out out = { 0 };

	return limpet_call_thread_info(LIMPET_SLOT_THREADS + id, &out) ? s->thread[id].charged
								       : out.w0;
}

/* Starts to meter a thread. Returns the time at which its turn, budget or span ends; LIMPET_NEVER: none of these. */
static uint64_t meter_begin(struct sched *s, unsigned int id)
{
	struct thread *t = &s->thread[id];
	uint64_t now = time_now(s), end = LIMPET_NEVER;

	s->metered = id;
	s->since = now;
	if (s->slice && policy_shared(s, id))
		end = now + (uint64_t)t->turn;
	if (t->budget && t->left > 0 && now + (uint64_t)t->left < end)
		end = now + (uint64_t)t->left;
	if (t->budget && POLICY_GRID && t->until < end)
		end = t->until;
	return end;
}

/* The deadline includes a part's alarm, because the part must get it even if no other thread comes first. */
uint64_t deadline_watched(struct sched *s, unsigned int id, uint64_t deadline)
{
	const struct thread *t = &s->thread[id];
	uint64_t end = t->metered ? meter_begin(s, id) : LIMPET_NEVER;

	if (timers_pending(&s->timers, TIMER_ALARM(id)) && t->alarm.key < deadline)
		deadline = t->alarm.key;
	return end < deadline ? end : deadline;
}

/* Charges the metered thread for its time until now, and stops metering. */
void meter_end(struct sched *s)
{
	unsigned int id = s->metered;
	struct thread *t = &s->thread[id];
	uint64_t now = time_now(s), ticks = now - s->since, run;

	s->metered = NONE;
	t->turn -= (int64_t)ticks;
	if (s->slice && t->turn <= 0) {
		t->turn = (int64_t)s->slice;
		if (t->state == STATE_READY && !t->held) {
			policy_remove(s, id);
			policy_insert(s, id);
		}
	}
	if (!t->budget)
		return;
	if (!t->part) {
		run = ticks_run(s, id);
		ticks = run - t->charged;
		t->charged = run;
	}
	budget_charge(s, id, ticks);
}

/* Moves budget from the threads that wait for this one, until it can continue. Returns whether it can. */
static bool borrow(struct sched *s, unsigned int id, uint64_t now)
{
	struct thread *t = &s->thread[id];

	for (unsigned int i = t->lender; i; i = s->thread[i].lender_next) {
		struct thread *lender = &s->thread[i];

		if (!lender->budget && POLICY_UNLIMITED)
			return true;
		if (lender->budget && POLICY_GRID)
			policy_refill(lender, now);
		if (lender->budget && lender->left > 0) {
			t->left += lender->left;
			lender->left = 0;
		}
		if (t->left > 0)
			return true;
	}
	return false;
}

/* Holds a thread, which is not in a queue, until its next span. */
static void hold(struct sched *s, unsigned int id)
{
	struct thread *t = &s->thread[id];

	t->held = true;
	t->overruns++;
	timer_set(s, TIMER_RENEW(id), t->until);
}

static void unhold(struct sched *s, unsigned int id)
{
	timers_remove(&s->timers, TIMER_RENEW(id));
	s->thread[id].held = false;
	s->recheck = true;
	policy_insert(s, id);
}

void budget_charge(struct sched *s, unsigned int id, uint64_t ticks)
{
	struct thread *t = &s->thread[id];
	uint64_t now = time_now(s);

	t->left -= (int64_t)ticks;
	if (POLICY_GRID)
		policy_refill(t, now);
	if (t->left > 0 || t->state != STATE_READY || t->held || borrow(s, id, now))
		return;
	policy_remove(s, id);
	hold(s, id);
}

void budget_arrive(struct sched *s, unsigned int id, uint64_t at)
{
	if (s->thread[id].left > 0 || borrow(s, id, at))
		policy_insert(s, id);
	else
		hold(s, id);
}

void budget_lent(struct sched *s, unsigned int id)
{
	if (s->thread[id].held && borrow(s, id, time_now(s)))
		unhold(s, id);
}

void budget_renew(struct sched *s, unsigned int id)
{
	struct thread *t = &s->thread[id];

	policy_refill(t, t->until);
	policy_key(s, id);
	key_update(s, id);
	if (t->left > 0 || borrow(s, id, t->until))
		unhold(s, id);
	else
		timer_set(s, TIMER_RENEW(id), t->until);
}

/*
 * Returns a budget's share of SHARE_WHOLE. It is rounded down, so that budgets that fit exactly are admitted. The sum
 * of 1,023 shares is too small by at most 122 millionths of the time.
 */
static uint64_t share(uint64_t budget, uint64_t span)
{
	return span ? budget * SHARE_WHOLE / span : 0;
}

/* Replaces a thread's share of the reserved time. Returns false and changes nothing if the sum exceeds the capacity. */
static bool admitted(struct sched *s, const struct thread *t, uint64_t budget, uint64_t span)
{
	uint64_t sum = s->reserved - share(t->budget, t->span) + share(budget, span);

	if (sum > s->capacity * SHARE_WHOLE / 100)
		return false;
	s->reserved = sum;
	return true;
}

long budget_set(struct sched *s, unsigned int id, uint64_t budget, uint64_t span)
{
	struct thread *t = &s->thread[id];

	if (!admitted(s, t, budget, span))
		return LIMPET_EQUOTA;
	t->charged = ticks_run(s, id);
	t->budget = budget;
	t->span = budget ? span : 0;
	t->left = (int64_t)budget;
	t->until = time_now(s) + span;
	t->due = LIMPET_NEVER;
	t->metered = budget || s->slice;
	policy_key(s, id);
	key_update(s, id);
	if (t->held)
		unhold(s, id);
	return LIMPET_OK;
}

long budget_setup(struct sched *s, const struct limpet_info *info)
{
	for (unsigned int i = 0; i < BUDGET_ARGUMENTS; i++) {
		const char *text;
		char name[16];
		uint64_t number[3];

		limpet_format(name, sizeof(name), "reserve-%u", i);
		text = limpet_arg_text(info, name, "");
		if (!*text)
			continue;
		if (!numbers_read(text, number, 3) || !number[1] || number[1] > number[2])
			return setup_refuse("reserve", i, "not @NAME US US");
		if (!number[0] || thread_standing(s, number[0]) != number[0])
			return setup_refuse("reserve", i, "not a thread of mine");
		if (budget_set(s, (unsigned int)number[0], limpet_us_to_ticks(number[1]),
			       limpet_us_to_ticks(number[2])))
			return setup_refuse("reserve", i, "more than there is");
		s->thread[number[0]].given = true;
	}
	return LIMPET_OK;
}
