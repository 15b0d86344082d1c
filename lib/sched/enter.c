// SPDX-License-Identifier: BSD-2-Clause
#include <sched/enter.h>

#define EVENT_RUN 2ul /* carries no information: the scheduler's thread checks everything anyway */

/* Takes `busy` for a thread of a part. If `busy` is set, it belongs to another thread of the same part. */
static void part_lock(struct sched *s, unsigned int caller)
{
	uint32_t owner = 0;

	while (!__atomic_compare_exchange_n(&s->busy, &owner, caller, false, __ATOMIC_SEQ_CST,
					    __ATOMIC_SEQ_CST)) {
		s->contended = 1;
		limpet_call_thread_dispatch(LIMPET_SLOT_THREADS + owner, 0);
		owner = 0;
	}
}

unsigned int enter_slow(struct sched *s, unsigned int caller)
{
	unsigned int id = s->thread[caller].stands;
	struct thread *t = &s->thread[id];

	if (!id || (t->state != STATE_READY && t->state != STATE_WAITING))
		return NONE;
	if (t->part)
		part_lock(s, caller);
	else
		s->busy = 1;
	barrier();
	if (t->state == STATE_WAITING) /* an event switched an idle CPU to it */
		thread_ready(s, id, time_now(s));
	return id;
}

/*
 * Continues the scheduler's thread. `busy` is clear. If an event switched an idle CPU to the caller, the scheduler's
 * thread waits in a receive instead of a dispatch, so an event wakes it.
 */
static void scheduler_run(struct sched *s)
{
	long status = limpet_call_thread_dispatch(LIMPET_SLOT_THREADS + s->self, 0);

	if (unlikely(status == LIMPET_ESTATE))
		limpet_call_endpoint_send(LIMPET_SLOT_ENDPOINT, EVENT_RUN);
}

/* Lets the scheduler's thread decide, because the next thread is not suspended here or the CPU becomes idle. */
static void scheduler_decide(struct sched *s)
{
	barrier();
	s->busy = 0;
	barrier();
	scheduler_run(s);
}

static inline __attribute__((always_inline)) void leave_now(struct sched *s, unsigned int id)
{
	for (;;) {
		s->thread[id].inside = false;
		barrier();
		s->busy = 0;
		barrier();
		if (likely(!s->contended))
			return;
		s->contended = 0;
		s->thread[id].inside = !s->thread[id].part;
		scheduler_run(s);
	}
}

void leave(struct sched *s, unsigned int id)
{
	leave_now(s, id);
}

/* Switches to the next thread. Inline, so that the path from a dispatch back to the waiting thread has no call. */
static inline __attribute__((always_inline)) void run_next_now(struct sched *s, unsigned int id)
{
	unsigned int next;
	long status;

	timers_take(s, limpet_time());
	next = policy_top(s);
	if (next == id && likely(!s->recheck)) {
		leave_now(s, id);
		return;
	}
	if (unlikely(s->metered)) {
		meter_end(s);
		next = policy_top(s);
	}
	s->thread[id].inside = !s->thread[id].part;
	if (likely(s->thread[next].inside && !s->recheck)) {
		status = limpet_call_thread_dispatch(LIMPET_SLOT_THREADS + next,
						     deadline_take(s, next));
		if (unlikely(status == LIMPET_ESTATE))
			thread_dead(s, next);
	} else {
		scheduler_decide(s);
	}
	leave_now(s, id);
}

void run_next(struct sched *s, unsigned int id)
{
	run_next_now(s, id);
}

/* Loops, because a dispatch that this scheduler did not make can continue the thread too early. */
void wait(struct sched *s, unsigned int id)
{
	for (;;) {
		run_next_now(s, id);
		if (likely(s->thread[id].state == STATE_READY))
			return;
		if (s->thread[id].part)
			part_lock(s, limpet_thread_id());
		else
			s->busy = 1;
		barrier();
	}
}

/* Makes the caller the part's waiter. Stores the result of the previous waiter, which may not have read it yet. */
static void waiter_set(struct sched *s, struct thread *t)
{
	s->thread[t->waiter].expired = t->expired;
	t->waiter = (uint16_t)limpet_thread_id();
}

void wait_prepare(struct sched *s, unsigned int id, enum thread_state state, uint64_t due)
{
	struct thread *t = &s->thread[id];

	policy_wait(s, id);
	thread_unready(s, id, state);
	if (unlikely(t->part))
		waiter_set(s, t);
	t->expired = false;
	if (due != LIMPET_NEVER)
		timer_set(s, TIMER_WAIT(id), due);
	else if (s->timers.popped) /* removes the node now, not on the path to the next thread's wake-up */
		timers_clear(&s->timers);
}

bool wait_expired_part(struct sched *s, struct thread *t)
{
	unsigned int self = limpet_thread_id();

	if (t->waiter != self)
		return s->thread[self].expired;
	t->waiter = NONE;
	return t->expired;
}

void wait_end(struct sched *s, unsigned int id)
{
	timers_remove(&s->timers, TIMER_WAIT(id));
	thread_ready(s, id, time_now(s));
}

void thread_dead(struct sched *s, unsigned int id)
{
	struct thread *t = &s->thread[id];

	if (t->state == STATE_READY && !t->held)
		policy_remove(s, id);
	if (t->state == STATE_SPARE)
		spare_remove(s, id);
	timers_remove(&s->timers, TIMER_WAIT(id));
	timers_remove(&s->timers, TIMER_ALARM(id));
	timers_remove(&s->timers, TIMER_RENEW(id));
	t->held = false;
	t->state = STATE_DEAD;
	if (t->bound)
		wait_unbind(s, id);
	if (t->joiner && s->thread[t->joiner].state == STATE_JOINING)
		wait_end(s, t->joiner);
}
