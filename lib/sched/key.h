/* SPDX-License-Identifier: BSD-2-Clause */
/* The keys of threads, and the list of threads that lend their keys to a thread. */
#ifndef SCHED_KEY_H
#define SCHED_KEY_H

#include <sched/sched.h>

/*
 * Updates a thread's key after a change of its own key or of a lent one. Moves the thread to its place in the queues,
 * and updates the keys of the threads to which it lends.
 */
void key_update(struct sched *sched, unsigned int id);
/* Updates the key of a thread that is in no queue and lends to no thread. */
void key_renew(struct sched *sched, unsigned int id);
/* Stops a suspended thread's wait for an object, and its lending to an owner. */
void wait_unbind(struct sched *sched, unsigned int id);

/* Starts to lend a thread's key to `owner`. */
static inline void lender_add(struct sched *sched, unsigned int id, unsigned int owner)
{
	struct thread *thread = &sched->thread[id];

	thread->owner = (uint16_t)owner;
	thread->lender_before = NONE;
	thread->lender_next = sched->thread[owner].lender;
	sched->thread[thread->lender_next].lender_before = (uint16_t)id;
	sched->thread[owner].lender = (uint16_t)id;
}

/* Stops lending a thread's key. May write the list links of NONE, which are never read. */
static inline void lender_remove(struct sched *sched, unsigned int id)
{
	struct thread *thread = &sched->thread[id];

	if (thread->lender_before)
		sched->thread[thread->lender_before].lender_next = thread->lender_next;
	else
		sched->thread[thread->owner].lender = thread->lender_next;
	sched->thread[thread->lender_next].lender_before = thread->lender_before;
	thread->owner = NONE;
}

#endif
