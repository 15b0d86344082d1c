// SPDX-License-Identifier: BSD-2-Clause
/*
 * Priority inheritance: while a thread waits for an owner, the owner has the smaller key of the two. The owner passes
 * its key on to the thread that it waits for itself.
 */
#include <export/sched.h>

#include <sched/budget.h>
#include <sched/lend.h>
#include <sched/object.h>
#include <sched/thread.h>

/* Computes the key and the groups of a thread, including those that are lent to it. */
static void key_find(const struct sched *s, unsigned int id, uint64_t *key, uint32_t *groups)
{
	const struct thread *t = &s->thread[id];

	*key = t->own;
	*groups = t->own_groups;
	for (unsigned int i = t->lender; i; i = s->thread[i].lender_next) {
		*key = s->thread[i].key < *key ? s->thread[i].key : *key;
		*groups |= s->thread[i].groups;
	}
}

/* Updates the ranks of a thread's timers after a change of its key. */
static void timers_update(struct sched *s, unsigned int id)
{
	uint32_t rank = policy_rank(s, id);

	timers_rerank(&s->timers, TIMER_WAIT(id), rank);
	timers_rerank(&s->timers, TIMER_ALARM(id), rank);
	timers_rerank(&s->timers, TIMER_RENEW(id), rank);
}

void key_update(struct sched *s, unsigned int id)
{
	/* Threads that wait for each other in a cycle deadlock. This loop still ends, because it is bounded. */
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
		timers_update(s, id);
		if (t->waits)
			object_rekey(s, id);
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

/* Starts to lend a thread's key to `owner`. */
static void lender_add(struct sched *s, unsigned int id, unsigned int owner)
{
	struct thread *t = &s->thread[id];

	t->owner = (uint16_t)owner;
	t->lender_before = NONE;
	t->lender_next = s->thread[owner].lender;
	s->thread[t->lender_next].lender_before = (uint16_t)id;
	s->thread[owner].lender = (uint16_t)id;
}

/* Stops lending a thread's key. May write the list links of NONE, which are never read. */
static void lender_remove(struct sched *s, unsigned int id)
{
	struct thread *t = &s->thread[id];

	if (t->lender_before)
		s->thread[t->lender_before].lender_next = t->lender_next;
	else
		s->thread[t->owner].lender = t->lender_next;
	s->thread[t->lender_next].lender_before = t->lender_before;
	t->owner = NONE;
}

void lend_begin(struct sched *s, unsigned int id, unsigned int owner)
{
	const struct thread *t = &s->thread[id], *o = &s->thread[owner];

	lender_add(s, id, owner);
	if (t->key < o->key || t->groups & ~o->groups)
		key_update(s, owner);
	budget_lent(s, owner);
}

static void lend_end(struct sched *s, unsigned int id)
{
	const struct thread *t = &s->thread[id], *o = &s->thread[t->owner];
	unsigned int owner = t->owner;

	lender_remove(s, id);
	/* The second condition: the thread may have lent a group that no other lender has. */
	if (t->key <= o->key || o->groups != o->own_groups)
		key_update(s, owner);
}

/* A suspended thread waits for nothing any more. */
void wait_unbind(struct sched *s, unsigned int id)
{
	if (s->thread[id].waits)
		object_leave(s, id);
	if (s->thread[id].owner)
		lend_end(s, id);
}

long sched_serve_suspend_for(word badge, word owner, word deadline)
{
	unsigned int id, to = thread_standing(&sched, owner);
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
 * Returns the kernel's id of the thread of `threads` to resume; NONE: this scheduler has none of them. Threads that are
 * not suspended yet get a token, because they are about to wait for a thread that is no longer the owner.
 */
static unsigned int best_of(struct sched *s, uint64_t threads, word first)
{
	unsigned int best = NONE;

	for (; threads; threads &= threads - 1) {
		word id = first + (word)__builtin_ctzl(threads);
		unsigned int of = thread_standing(s, id);
		struct thread *t = &s->thread[of];

		if (!of)
			continue;
		if (t->state != STATE_SUSPENDED)
			t->tokens |= 1u << STATE_SUSPENDED;
		if (!best || better(t, &s->thread[s->thread[best].stands]))
			best = (unsigned int)id;
	}
	return best;
}

void lender_move(struct sched *s, unsigned int id, unsigned int from, unsigned int to)
{
	if (id == to || s->thread[id].owner != from)
		return;
	lender_remove(s, id);
	lender_add(s, id, to);
}

void lenders_moved(struct sched *s, unsigned int from, unsigned int to)
{
	key_update(s, to);
	key_update(s, from);
	budget_lent(s, to);
}

/* Makes all threads of the bitmap that wait for `from` wait for `to`. */
static void lenders_move(struct sched *s, uint64_t threads, word first, unsigned int from,
			 unsigned int to)
{
	for (; threads; threads &= threads - 1) {
		unsigned int id = thread_standing(s, first + (word)__builtin_ctzl(threads));

		if (id)
			lender_move(s, id, from, to);
	}
	lenders_moved(s, from, to);
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
	to = sched.thread[best].stands;
	if (!to) {
		leave(&sched, id);
		return LIMPET_ENOENT;
	}
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
