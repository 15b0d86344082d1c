// SPDX-License-Identifier: BSD-2-Clause
/*
 * Priority inheritance: while a thread waits for an owner, the owner has the smaller key of the two. The owner passes
 * its key on to the thread that it waits for itself.
 */
#include <export/sched.h>

#include <sched/alarm.h>
#include <sched/budget.h>
#include <sched/key.h>
#include <sched/lend.h>
#include <sched/thread.h>

#define YIELDS_MAX 64	 /* calls of owner_run() without a release, before the part waits */
#define YIELDS_US 1000ul /* time after which the caller checks again */

/*
 * The nested scheduler can preempt the owner, and selects the caller again, so the caller checks several times. It also
 * checks after YIELDS_US and at its deadline, by an alarm. If nothing is released after many checks, the owner cannot
 * run, or waits for the caller. The part then waits before each check, so that other threads run.
 */
long owner_run(struct sched *sched, unsigned int id, word owner, uint64_t deadline)
{
	struct thread *part = &sched->thread[id];
	uint64_t now = limpet_time(), check = now + limpet_us_to_ticks(YIELDS_US);

	if (now >= deadline) {
		leave(sched, id);
		return LIMPET_ETIME;
	}
	check = check < deadline ? check : deadline;
	alarm_hasten(sched, id, check);
	if (part->yields < YIELDS_MAX) {
		part->yields++;
		leave(sched, id);
	} else {
		wait_prepare(sched, id, STATE_SLEEPING, check);
		wait_finish(sched, id);
		if (check == deadline)
			return LIMPET_ETIME;
	}
	limpet_call_thread_dispatch(LIMPET_SLOT_THREADS + owner, 0);
	return LIMPET_OK;
}

void key_lent(struct sched *sched, unsigned int id, unsigned int owner)
{
	const struct thread *thread = &sched->thread[id], *holder = &sched->thread[owner];

	if (!owner)
		return;
	if (thread->key < holder->key || thread->groups & ~holder->groups)
		key_update(sched, owner);
	budget_lent(sched, owner);
}

long sched_serve_suspend_for(word badge, word owner, word deadline)
{
	unsigned int id, to = thread_proxy(&sched, owner);
	struct thread *thread;

	(void)badge;
	if (owner && !to)
		return LIMPET_ENOENT;
	id = enter(&sched);
	if (!id)
		return LIMPET_ESTATE;
	thread = &sched.thread[id];
	if (thread->tokens & 1u << STATE_SUSPENDED) {
		thread->tokens &= ~(1u << STATE_SUSPENDED);
		leave(&sched, id);
		return LIMPET_OK;
	}
	if (owner_within(&sched, id, to, owner))
		return owner_run(&sched, id, owner, deadline);
	thread->order = ++sched.suspensions;
	wait_prepare(&sched, id, STATE_SUSPENDED, deadline);
	if (to && to != id) {
		lender_add(&sched, id, to);
		key_lent(&sched, id, to);
	}
	wait_finish(&sched, id);
	return wait_expired(&sched, id) ? LIMPET_ETIME : LIMPET_OK;
}

static bool better(const struct thread *one, const struct thread *other)
{
	bool one_waits = one->state == STATE_SUSPENDED,
	     other_waits = other->state == STATE_SUSPENDED;

	if (one_waits != other_waits)
		return one_waits;
	return one->key != other->key ? one->key < other->key : one->order < other->order;
}

/*
 * Returns the kernel's id of the thread of `threads` to resume; NONE: this scheduler has none of them. Threads that are
 * not suspended yet get a token, because they are about to wait for a thread that is no longer the owner.
 */
static unsigned int best_of(struct sched *sched, uint64_t threads, word first)
{
	unsigned int best = NONE;

	for (; threads; threads &= threads - 1) {
		word id = first + (word)__builtin_ctzl(threads);
		unsigned int of = thread_proxy(sched, id);
		struct thread *thread = &sched->thread[of];

		if (!of)
			continue;
		if (thread->state != STATE_SUSPENDED)
			thread->tokens |= 1u << STATE_SUSPENDED;
		if (!best || better(thread, &sched->thread[sched->thread[best].proxy]))
			best = (unsigned int)id;
	}
	return best;
}

void lenders_moved(struct sched *sched, unsigned int from, unsigned int to)
{
	key_update(sched, to);
	key_update(sched, from);
	budget_lent(sched, to);
}

/* Makes all threads of the bitmap that wait for `from` wait for `to`. */
static void lenders_move(struct sched *sched, uint64_t threads, word first, unsigned int from,
			 unsigned int to)
{
	for (; threads; threads &= threads - 1) {
		unsigned int id = thread_proxy(sched, first + (word)__builtin_ctzl(threads));

		if (id != to && sched->thread[id].owner == from) {
			lender_remove(sched, id);
			lender_add(sched, id, to);
		}
	}
	lenders_moved(sched, from, to);
}

long sched_serve_resume_best(word badge, word threads, word first)
{
	const word self = limpet_thread_id() - first; /* not below 64 if it has no bit */
	unsigned int id = enter(&sched), best, to;

	(void)badge;
	if (!id)
		return LIMPET_ESTATE;
	if (first >= LIMPET_THREADS_MAX)
		threads = 0;
	if (self < 64)
		threads &= ~(1ul << self);
	best = best_of(&sched, threads, first);
	to = sched.thread[best].proxy;
	if (!to) {
		release_leave(&sched, id);
		return LIMPET_ENOENT;
	}
	part_released(&sched, id);
	if (sched.thread[to].state == STATE_SUSPENDED)
		wait_end(&sched, to);
	if (to != id)
		lenders_move(&sched, threads, first, id, to);
	run_next(&sched, id);
	return (long)best;
}

long sched_serve_priority(word badge, word thread, word priority)
{
	unsigned int id, of;
	long before = LIMPET_ENOENT;

	if (priority > LIMPET_URGENCY_MAX)
		return LIMPET_ERANGE;
	id = enter(&sched);
	if (!id)
		return LIMPET_ESTATE;
	of = thread_named(&sched, badge, thread, id);
	if (of) {
		before = sched.thread[of].priority;
		if (priority)
			sched.thread[of].priority = (uint8_t)priority;
		policy_key(&sched, of);
		key_update(&sched, of);
		sched.recheck = true; /* other timers may now matter to the running thread */
	}
	run_next(&sched, id);
	return before;
}
