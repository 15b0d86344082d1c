// SPDX-License-Identifier: BSD-2-Clause
#include <sched/policy_calls.h>
#include <sched/key.h>
#include <sched/object.h>

unsigned int lender_owner(const struct sched *sched, unsigned int id)
{
	const struct thread *thread = &sched->thread[id];

	if (!thread->owner && thread->waits)
		id = waiter_first(sched, thread->object);
	return sched->thread[id].owner;
}

unsigned int lender_after(const struct sched *sched, unsigned int id)
{
	const struct thread *thread = &sched->thread[id];
	unsigned int next = thread->waits ? waiter_next(sched, id) : NONE;

	if (next)
		return next;
	if (!thread->owner)
		id = waiter_first(sched, thread->object);
	return sched->thread[id].lender_next;
}

/* Returns the key of a thread, or the smallest one that is lent to it. */
static uint64_t key_find(const struct sched *sched, unsigned int id)
{
	uint64_t key = sched->thread[id].own;

	for (unsigned int i = sched->thread[id].lender; i; i = sched->thread[i].lender_next)
		key = sched->thread[i].key < key ? sched->thread[i].key : key;
	return key;
}

/* Returns the groups of a thread, including those that are lent to it. */
static uint32_t groups_find(const struct sched *sched, unsigned int id)
{
	uint32_t groups = groups_own(&sched->thread[id]);

	for (unsigned int i = groups ? sched->thread[id].lender : NONE; i;
	     i = lender_after(sched, i))
		groups |= sched->thread[i].groups;
	return groups;
}

/* Updates the ranks of a thread's timers after a change of its key. */
static void timers_update(struct sched *sched, unsigned int id)
{
	uint32_t rank = policy_rank(sched, id);

	timers_rerank(&sched->timers, TIMER_WAIT(id), rank);
	timers_rerank(&sched->timers, TIMER_ALARM(id), rank);
	timers_rerank(&sched->timers, TIMER_RENEW(id), rank);
}

void key_update(struct sched *sched, unsigned int id)
{
	/* Threads that wait for each other in a cycle deadlock. This loop still ends, because it is bounded. */
	for (unsigned int turn = 0; id && turn < LIMPET_THREADS_MAX; turn++) {
		struct thread *thread = &sched->thread[id];
		bool queued = thread->state == STATE_READY && !thread->held;
		uint64_t key = key_find(sched, id);
		uint32_t groups = groups_find(sched, id);

		if (key == thread->key && groups == thread->groups)
			return;
		if (queued)
			policy_remove(sched, id);
		thread->key = key;
		thread->groups = groups;
		timers_update(sched, id);
		if (thread->waits)
			object_rekey(sched, id);
		if (queued)
			policy_insert(sched, id);
		sched->recheck = true;
		id = thread->bound ? lender_owner(sched, id) : NONE;
	}
}

void key_renew(struct sched *sched, unsigned int id)
{
	sched->thread[id].key = key_find(sched, id);
	sched->thread[id].groups = groups_find(sched, id);
}

void wait_unbind(struct sched *sched, unsigned int id)
{
	const struct thread *thread = &sched->thread[id], *holder;
	unsigned int owner = thread->owner;

	if (!owner && groups_own(thread))
		owner = lender_owner(sched, id);
	if (thread->waits)
		object_leave(sched, id);
	else
		lender_remove(sched, id);
	holder = &sched->thread[owner];
	/* The second condition: the thread may have lent a group that no other lender has. */
	if (owner && (thread->key <= holder->key || holder->groups != groups_own(holder)))
		key_update(sched, owner);
}
