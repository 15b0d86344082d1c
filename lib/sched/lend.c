// SPDX-License-Identifier: BSD-2-Clause
/*
 * Priority inheritance: while a thread waits for another, that one has the key of whichever of the
 * two comes first, and so has whomever it waits for in turn.
 */
#include <export/sched.h>

#include <sched/budget.h>
#include <sched/lend.h>
#include <sched/thread.h>

/* The key and the groups that a thread has by now. */
static void key_find(const struct sched *s, unsigned int id, uint64_t *key, uint32_t *groups)
{
	const struct thread *t = &s->thread[id];

	*key = t->own;
	*groups = t->own_groups;
	if (!t->lenders)
		return;
	for (unsigned int i = 1; i < LIMPET_THREADS_MAX; i++)
		if (s->thread[i].owner == id) {
			*key = s->thread[i].key < *key ? s->thread[i].key : *key;
			*groups |= s->thread[i].groups;
		}
}

void key_update(struct sched *s, unsigned int id)
{
	/* Who wait for each other in a circle wait for ever; this does not. */
	for (unsigned int turn = 0; id && turn < LIMPET_THREADS_MAX; turn++) {
		struct thread *t = &s->thread[id];
		bool queued = t->state == STATE_READY && !t->held;
		uint64_t key;
		uint32_t groups;

		key_find(s, id, &key, &groups);
		if (key == t->key && groups == t->groups)
			return;
		if (queued)
			policy_remove(s, id);
		t->key = key;
		t->groups = groups;
		if (queued)
			policy_insert(s, id);
		s->recheck = true;
		id = t->owner;
	}
}

void key_renew(struct sched *s, unsigned int id)
{
	key_find(s, id, &s->thread[id].key, &s->thread[id].groups);
}

static void lend_begin(struct sched *s, unsigned int id, unsigned int owner)
{
	s->thread[id].owner = (uint8_t)owner;
	s->thread[owner].lenders++;
	key_update(s, owner);
	budget_lent(s, owner);
}

void lend_end(struct sched *s, unsigned int id)
{
	unsigned int owner = s->thread[id].owner;

	s->thread[id].owner = NONE;
	s->thread[owner].lenders--;
	key_update(s, owner);
}

long sched_serve_suspend_for(word badge, word owner, word deadline)
{
	unsigned int id, to = owner < LIMPET_THREADS_MAX ? sched.stands[owner] : NONE;
	struct thread *t;

	(void)badge;
	if (owner && !to)
		return LIMPET_ENOENT;
	id = enter(&sched);
	if (!id)
		return LIMPET_ESTATE;
	t = &sched.thread[id];
	if (t->tokens & 1u << STATE_SUSPENDED) {
		t->tokens &= ~(1u << STATE_SUSPENDED);
		leave(&sched, id);
		return LIMPET_OK;
	}
	t->order = ++sched.suspensions;
	wait_prepare(&sched, id, STATE_SUSPENDED, deadline);
	if (to && to != id)
		lend_begin(&sched, id, to);
	wait(&sched, id);
	return wait_expired(&sched, id) ? LIMPET_ETIME : LIMPET_OK;
}

static bool better(const struct thread *a, const struct thread *b)
{
	bool waits_a = a->state == STATE_SUSPENDED, waits_b = b->state == STATE_SUSPENDED;

	if (waits_a != waits_b)
		return waits_a;
	return a->key != b->key ? a->key < b->key : a->order < b->order;
}

/*
 * The id, in the kernel, of whoever of `threads` is to be resumed; NONE: it is nobody's. Those that
 * are not suspended keep a wake-up each: they are about to wait for an owner that is none any more.
 */
static unsigned int best_of(struct sched *s, uint64_t threads)
{
	unsigned int best = NONE;

	for (; threads; threads &= threads - 1) {
		unsigned int id = (unsigned int)__builtin_ctzl(threads);
		struct thread *t = &s->thread[s->stands[id]];

		if (!s->stands[id])
			continue;
		if (t->state != STATE_SUSPENDED)
			t->tokens |= 1u << STATE_SUSPENDED;
		if (!best || better(t, &s->thread[s->stands[best]]))
			best = id;
	}
	return best;
}

/* Those of `threads` who wait for `from` wait for `to` from now on. */
static void lenders_move(struct sched *s, uint64_t threads, unsigned int from, unsigned int to)
{
	for (; threads; threads &= threads - 1) {
		unsigned int id = s->stands[__builtin_ctzl(threads)];

		if (id && id != to && s->thread[id].owner == from) {
			s->thread[id].owner = (uint8_t)to;
			s->thread[from].lenders--;
			s->thread[to].lenders++;
		}
	}
	key_update(s, to);
	key_update(s, from);
	budget_lent(s, to);
}

long sched_serve_resume_best(word badge, word threads)
{
	unsigned int id = enter(&sched), best, to;

	(void)badge;
	if (!id)
		return LIMPET_ESTATE;
	threads &= ~(1ul << limpet_thread_id() | 1);
	best = best_of(&sched, threads);
	to = sched.stands[best];
	if (!to) {
		leave(&sched, id);
		return LIMPET_ENOENT;
	}
	if (sched.thread[to].state == STATE_SUSPENDED)
		wait_end(&sched, to);
	if (to != id)
		lenders_move(&sched, threads, id, to);
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
		sched.recheck = true; /* other timers may matter to the running thread now */
	}
	run_next(&sched, id);
	return before;
}
