// SPDX-License-Identifier: BSD-2-Clause
#include <sched/budget.h>
#include <sched/enter.h>
#include <sched/spare.h>

#define TIMERS_AT_ONCE 4
#define EVENT_RUN 2ul /* carries no information: the scheduler's thread checks everything anyway */

/* Takes the lock for a thread of a part. If it is taken, another thread of the same part holds it. */
static void part_lock(struct sched *sched, unsigned int caller)
{
	uint32_t owner = 0;

	while (!__atomic_compare_exchange_n(&sched->data_lock, &owner, caller, false,
					    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
		sched->contended = 1;
		limpet_call_thread_dispatch(LIMPET_SLOT_THREADS + owner, 0);
		owner = 0;
	}
}

/* Returns whether a thread waits for another thread or for a timer. */
static bool suspended(const struct thread *thread)
{
	return thread->state == STATE_JOINING ||
	       (thread->state >= STATE_BLOCKED && thread->state <= STATE_SLEEPING);
}

/*
 * Takes the lock for a thread of a part. Another thread of the part may already wait here, or may have been
 * preempted by the nested scheduler when it started to. The caller then waits with it.
 */
static void part_enter(struct sched *sched, unsigned int caller, unsigned int id)
{
	part_lock(sched, caller);
	while (suspended(&sched->thread[id])) {
		run_next(sched, id);
		part_lock(sched, caller);
	}
}

unsigned int enter_slow(struct sched *sched, unsigned int caller)
{
	unsigned int id = sched->thread[caller].proxy;
	struct thread *thread = &sched->thread[id];

	if (thread->part)
		part_enter(sched, caller, id);
	if (!id || (thread->state != STATE_READY && thread->state != STATE_WAITING)) {
		if (thread->part)
			leave(sched, id);
		return NONE;
	}
	if (!thread->part)
		sched->data_lock = 1;
	barrier();
	if (thread->state == STATE_WAITING) /* an event switched an idle CPU to it */
		thread_ready(sched, id, time_now(sched));
	return id;
}

/*
 * Continues the scheduler's thread. The lock is free. If an event switched an idle CPU to the caller, the scheduler's
 * thread waits in a receive instead of a dispatch, so an event wakes it.
 */
static void scheduler_run(struct sched *sched)
{
	long status = limpet_call_thread_dispatch(LIMPET_SLOT_THREADS + sched->self, 0);

	if (unlikely(status == LIMPET_ESTATE))
		limpet_call_endpoint_send(LIMPET_SLOT_ENDPOINT, EVENT_RUN);
}

/* Lets the scheduler's thread decide, because the next thread is not suspended here or the CPU becomes idle. */
static void scheduler_decide(struct sched *sched)
{
	barrier();
	sched->data_lock = 0;
	barrier();
	scheduler_run(sched);
}

static inline __attribute__((always_inline)) void leave_now(struct sched *sched, unsigned int id)
{
	for (;;) {
		sched->thread[id].in_dispatch = false;
		barrier();
		sched->data_lock = 0;
		barrier();
		if (likely(!sched->contended))
			return;
		sched->contended = 0;
		sched->thread[id].in_dispatch = !sched->thread[id].part;
		scheduler_run(sched);
	}
}

void leave(struct sched *sched, unsigned int id)
{
	leave_now(sched, id);
}

/*
 * Switches to the next thread. Inline, so that the path from a dispatch back to the waiting thread has no call. After
 * the switch, a thread of a part does not hold the lock: see sched.h.
 */
static inline __attribute__((always_inline)) void run_next_now(struct sched *sched, unsigned int id)
{
	const bool part = sched->thread[id].part;
	unsigned int next;
	long status = LIMPET_OK;

	timers_take(sched, limpet_time());
	next = policy_top(sched);
	if (next == id && likely(!sched->recheck)) {
		leave_now(sched, id);
		return;
	}
	if (unlikely(sched->metered)) {
		meter_end(sched);
		next = policy_top(sched);
	}
	sched->thread[id].in_dispatch = !part;
	if (likely(sched->thread[next].in_dispatch && !sched->recheck)) {
		if (unlikely(part))
			sched->data_lock = next;
		status = limpet_call_thread_dispatch(LIMPET_SLOT_THREADS + next,
						     deadline_take(sched, next));
		if (unlikely(status == LIMPET_ESTATE))
			thread_dead(sched, next);
	} else {
		scheduler_decide(sched);
	}
	if (likely(!part) || status == LIMPET_ESTATE)
		leave_now(sched, id);
}

void run_next(struct sched *sched, unsigned int id)
{
	run_next_now(sched, id);
}

/* Loops, because a dispatch that this scheduler did not make can continue the thread too early. */
void wait_finish(struct sched *sched, unsigned int id)
{
	for (;;) {
		run_next_now(sched, id);
		if (likely(sched->thread[id].state == STATE_READY))
			return;
		if (sched->thread[id].part)
			part_lock(sched, limpet_thread_id());
		else
			sched->data_lock = 1;
		barrier();
	}
}

/* Makes the caller the part's waiter. Stores the result of the previous waiter, which may not have read it yet. */
static void waiter_set(struct sched *sched, struct thread *thread)
{
	sched->thread[thread->waiter].expired = thread->expired;
	thread->waiter = (uint16_t)limpet_thread_id();
}

void wait_prepare(struct sched *sched, unsigned int id, enum thread_state state, uint64_t due)
{
	struct thread *thread = &sched->thread[id];

	policy_wait(sched, id);
	thread_unready(sched, id, state);
	if (unlikely(thread->part))
		waiter_set(sched, thread);
	thread->expired = false;
	if (due != LIMPET_NEVER)
		timer_set(sched, TIMER_WAIT(id), due - (due < sched->lead ? due : sched->lead));
	else if (sched->timers
			 .popped) /* removes the node now, not on the path to the next thread's wake-up */
		timers_clear(&sched->timers);
}

bool wait_expired_part(struct sched *sched, struct thread *thread)
{
	unsigned int self = limpet_thread_id();

	if (thread->waiter != self)
		return sched->thread[self].expired;
	thread->waiter = NONE;
	return thread->expired;
}

/*
 * Without ranks, handles all due timers. With ranks, handles at most TIMERS_AT_ONCE timers of threads that would run
 * before the first ready thread, in the order of their ranks. If such a timer remains, the next deadline has passed. So
 * the scheduler's thread runs soon, and handles other events first.
 */
void timers_take_more(struct sched *sched, uint64_t now)
{
	struct timers *timers = &sched->timers;

	for (unsigned int n = 0;
	     timers_next(timers) <= now && (!POLICY_RANKS || n < TIMERS_AT_ONCE); n++) {
		unsigned int top = policy_top(sched), link;

		if (!POLICY_RANKS) {
			timer_take(sched, timers_pop(timers));
			continue;
		}
		link = timers_best(timers, now);
		if (top && timers_rank(timers, link) > sched->thread[top].key)
			return;
		timers_end(timers, link);
		timer_take(sched, link);
	}
}

void wait_end(struct sched *sched, unsigned int id)
{
	timers_remove(&sched->timers, TIMER_WAIT(id));
	thread_ready(sched, id, time_now(sched));
}

void joiner_wake(struct sched *sched, unsigned int id)
{
	unsigned int joiner = sched->thread[id].joiner;

	if (joiner && sched->thread[joiner].state == STATE_JOINING)
		wait_end(sched, joiner);
}

void thread_dead(struct sched *sched, unsigned int id)
{
	struct thread *thread = &sched->thread[id];

	if (thread->state == STATE_READY && !thread->held)
		policy_remove(sched, id);
	if (thread->state == STATE_SPARE)
		spare_remove(sched, id);
	timers_remove(&sched->timers, TIMER_WAIT(id));
	timers_remove(&sched->timers, TIMER_ALARM(id));
	hold_end(sched, id);
	thread->in_dispatch = false; /* a restarted thread does not return from its dispatch */
	thread->state = STATE_DEAD;
	if (thread->budget && !thread->given)
		budget_set(sched, id, 0, 0);
	thread->charged = ticks_run(sched, id);
	if (thread->bound)
		wait_unbind(sched, id);
	joiner_wake(sched, id);
}
