// SPDX-License-Identifier: BSD-2-Clause
/* The interface: what threads of other components call, on their own stacks here. */
#include <runtime/component.h>
#include <runtime/kernel_call.h>
#include <runtime/time.h>

#include <export/sched.h>

#include "sched.h"

#define EVENT_RUN 1ul /* says nothing: the scheduler's thread looks at everything anyway */
#define barrier() asm volatile("" : : : "memory")

/*
 * The calling thread comes in: from here to leave() or run_next() nobody else changes the data.
 * A thread that the scheduler does not know (the booter's) is sent away.
 */
static struct thread *enter(struct sched *s, unsigned int id)
{
	struct thread *t = &s->thread[id];

	if (unlikely(t->state != STATE_READY && t->state != STATE_WAITING))
		return NULL;
	s->busy = 1;
	barrier();
	if (unlikely(t->state == STATE_WAITING)) /* an event switched an idle CPU to it */
		thread_ready(s, id);
	return t;
}

/*
 * The scheduler's thread goes on; `busy` is clear. It waits in a receive instead of a dispatch when
 * an event switched an idle CPU to the caller: then an event wakes it.
 */
static void scheduler_run(struct sched *s)
{
	long status = limpet_call_thread_dispatch(LIMPET_SLOT_THREADS + s->self, 0);

	if (unlikely(status == LIMPET_ESTATE))
		limpet_call_endpoint_send(LIMPET_SLOT_ENDPOINT, EVENT_RUN);
}

/* Clears `busy`; lets the scheduler's thread go on if it waits for that. */
static void leave(struct sched *s, unsigned int id)
{
	for (;;) {
		s->thread[id].inside = false;
		barrier();
		s->busy = 0;
		barrier();
		if (likely(!s->contended))
			return;
		s->thread[id].inside = true;
		scheduler_run(s);
	}
}

/*
 * Gives the CPU to the most important ready thread, which may be the caller. Returns, with `busy`
 * cleared, when the caller has the CPU again.
 */
static void run_next(struct sched *s, unsigned int id)
{
	unsigned int next;
	long status;

	timers_take(s);
	next = ready_top(&s->ready);
	if (next == id) {
		leave(s, id);
		return;
	}
	s->thread[id].inside = true;
	if (likely(s->thread[next].inside)) {
		status = limpet_call_thread_dispatch(LIMPET_SLOT_THREADS + next,
						     deadline_take(s, next));
		if (unlikely(status == LIMPET_ESTATE))
			thread_dead(s, next);
	} else {
		barrier();
		s->busy = 0;
		barrier();
		scheduler_run(s);
	}
	leave(s, id);
}

/*
 * The calling thread, whose state says that it waits, gives the CPU away until it is ready again.
 * Only a dispatch that was none of ours brings it back earlier.
 */
static void wait(struct sched *s, unsigned int id)
{
	for (;;) {
		run_next(s, id);
		if (likely(s->thread[id].state == STATE_READY))
			return;
		s->busy = 1;
		barrier();
	}
}

/* Takes the calling thread off the ready queue until `due`; LIMPET_NEVER: until it is woken. */
static void wait_prepare(struct sched *s, unsigned int id, enum thread_state state, uint64_t due)
{
	struct thread *t = &s->thread[id];

	thread_unready(s, id, state);
	t->expired = false;
	t->timed = due != LIMPET_NEVER;
	if (t->timed)
		timers_insert(&s->timers, id, due);
}

/* Waits for a wake-up of the kind that `state` stands for, or takes one that came before. */
static long block(enum thread_state state, uint64_t deadline)
{
	unsigned int id = limpet_thread_id();
	struct thread *t = enter(&sched, id);

	if (!t)
		return LIMPET_ESTATE;
	if (t->tokens & 1u << state) {
		t->tokens &= ~(1u << state);
		leave(&sched, id);
		return LIMPET_OK;
	}
	wait_prepare(&sched, id, state, deadline);
	wait(&sched, id);
	return t->expired ? LIMPET_ETIME : LIMPET_OK;
}

/* Gives a thread a wake-up of that kind. */
static long wake(word thread, enum thread_state state)
{
	unsigned int id = limpet_thread_id();
	struct thread *t = &sched.thread[thread % LIMPET_THREADS_MAX];

	if (thread >= LIMPET_THREADS_MAX || !t->priority)
		return LIMPET_ENOENT;
	if (!enter(&sched, id))
		return LIMPET_ESTATE;
	if (t->state != state) {
		t->tokens |= 1u << state;
		leave(&sched, id);
		return LIMPET_OK;
	}
	if (t->timed)
		timers_remove(&sched.timers, (unsigned int)thread);
	t->timed = false;
	thread_ready(&sched, (unsigned int)thread);
	run_next(&sched, id);
	return LIMPET_OK;
}

long sched_serve_block(word badge)
{
	(void)badge;
	return block(STATE_BLOCKED, LIMPET_NEVER);
}

long sched_serve_block_until(word badge, word deadline)
{
	(void)badge;
	return block(STATE_BLOCKED, deadline);
}

long sched_serve_wake(word badge, word thread)
{
	(void)badge;
	return wake(thread, STATE_BLOCKED);
}

long sched_serve_suspend(word badge)
{
	(void)badge;
	return block(STATE_SUSPENDED, LIMPET_NEVER);
}

long sched_serve_resume(word badge, word thread)
{
	(void)badge;
	return wake(thread, STATE_SUSPENDED);
}

long sched_serve_yield(word badge)
{
	unsigned int id = limpet_thread_id();

	(void)badge;
	if (!enter(&sched, id))
		return LIMPET_ESTATE;
	thread_unready(&sched, id, STATE_READY);
	thread_ready(&sched, id);
	run_next(&sched, id);
	return LIMPET_OK;
}

long sched_serve_sleep_until(word badge, word deadline)
{
	unsigned int id = limpet_thread_id();

	(void)badge;
	if (deadline == LIMPET_NEVER)
		return LIMPET_ERANGE;
	if (!enter(&sched, id))
		return LIMPET_ESTATE;
	wait_prepare(&sched, id, STATE_SLEEPING, deadline);
	wait(&sched, id);
	return LIMPET_OK;
}

long sched_serve_periodic(word badge, word period, word first)
{
	unsigned int id = limpet_thread_id();
	struct thread *t;

	(void)badge;
	if (period < PERIOD_LEAST || period > PERIOD_MOST || first == LIMPET_NEVER)
		return LIMPET_ERANGE;
	t = enter(&sched, id);
	if (!t)
		return LIMPET_ESTATE;
	t->period = period;
	t->release = first ? first : limpet_time() + period;
	leave(&sched, id);
	return LIMPET_OK;
}

long sched_serve_periodic_wait(word badge, struct sched_periodic_wait_results *out)
{
	unsigned int id = limpet_thread_id();
	struct thread *t = enter(&sched, id);
	uint64_t now = limpet_time(), missed;

	(void)badge;
	if (!t)
		return LIMPET_ESTATE;
	if (!t->period) {
		leave(&sched, id);
		return LIMPET_ESTATE;
	}
	out->due = t->release;
	if (likely(now < t->release)) {
		t->release += t->period;
		wait_prepare(&sched, id, STATE_SLEEPING, out->due);
		wait(&sched, id);
		return 0;
	}
	missed = (now - t->release) / t->period;
	out->due += missed * t->period;
	t->release = out->due + t->period;
	leave(&sched, id);
	return (long)(missed + 1);
}

long sched_serve_thread_id(word badge)
{
	(void)badge;
	return (long)limpet_thread_id();
}

long sched_serve_exit(word badge, word value)
{
	unsigned int id = limpet_thread_id();

	(void)badge;
	(void)value;
	if (!enter(&sched, id))
		return LIMPET_ESTATE;
	thread_unready(&sched, id, STATE_DEAD);
	wait(&sched, id);
	return LIMPET_ESTATE;
}
