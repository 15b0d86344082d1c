// SPDX-License-Identifier: BSD-2-Clause
#include <sched/core.h>
#include <sched/spare.h>

/* Keeps the spare threads of a component in a circular list. Creation uses the first one. */
void spare_add(struct sched *sched, unsigned int id)
{
	struct thread *thread = &sched->thread[id];
	uint16_t *first = &sched->spare[thread->component];

	if (!*first) {
		thread->next = thread->before = *first = (uint16_t)id;
		return;
	}
	thread->next = *first;
	thread->before = sched->thread[*first].before;
	sched->thread[thread->before].next = sched->thread[thread->next].before = (uint16_t)id;
}

void spare_remove(struct sched *sched, unsigned int id)
{
	struct thread *thread = &sched->thread[id];
	uint16_t *first = &sched->spare[thread->component];

	sched->thread[thread->before].next = thread->next;
	sched->thread[thread->next].before = thread->before;
	if (*first == id)
		*first = thread->next == id ? NONE : thread->next;
}

void thread_reset(struct sched *sched, unsigned int id)
{
	struct thread *thread = &sched->thread[id];

	thread->period = 0;
	thread->due = LIMPET_NEVER;
	thread->tokens = 0;
	thread->turn = thread->slice;
	policy_key(sched, id);
	thread->key = thread->own;
	thread->groups = groups_own(thread);
	thread->state = STATE_SPARE;
	thread->worked = true;
}

void thread_begin(struct sched *sched, unsigned int id)
{
	struct thread *thread = &sched->thread[id];

	/* A mutex's ceiling may have raised the priority before a crash. */
	thread->priority = (uint8_t)limpet_info()->thread_of[id].priority;
	thread->joiner = NONE;
	thread->detached = false;
	thread_reset(sched, id);
	if (thread->spare)
		spare_add(sched, id);
	else
		thread_ready(sched, id, limpet_time());
}
