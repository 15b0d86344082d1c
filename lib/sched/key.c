// SPDX-License-Identifier: BSD-2-Clause
#include <sched/policy_calls.h>
#include <sched/key.h>
#include <sched/object.h>

/* Computes the key and the groups of a thread, including those that are lent to it. */
static void key_find(const struct sched *sched, unsigned int id, uint64_t *key, uint32_t *groups)
{
	const struct thread *thread = &sched->thread[id];

	*key = thread->own;
	*groups = thread->own_groups;
	for (unsigned int i = thread->lender; i; i = sched->thread[i].lender_next) {
		*key = sched->thread[i].key < *key ? sched->thread[i].key : *key;
		*groups |= sched->thread[i].groups;
	}
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
		uint64_t key;
		uint32_t groups;

		key_find(sched, id, &key, &groups);
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
		id = thread->owner;
	}
}

void key_renew(struct sched *sched, unsigned int id)
{
	key_find(sched, id, &sched->thread[id].key, &sched->thread[id].groups);
}

static void lend_end(struct sched *sched, unsigned int id)
{
	const struct thread *thread = &sched->thread[id], *holder = &sched->thread[thread->owner];
	unsigned int owner = thread->owner;

	lender_remove(sched, id);
	/* The second condition: the thread may have lent a group that no other lender has. */
	if (thread->key <= holder->key || holder->groups != holder->own_groups)
		key_update(sched, owner);
}

void wait_unbind(struct sched *sched, unsigned int id)
{
	if (sched->thread[id].waits)
		object_leave(sched, id);
	if (sched->thread[id].owner)
		lend_end(sched, id);
}
