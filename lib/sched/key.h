/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The keys of threads, and the threads that lend their keys to a thread. All threads that wait for one object lend to
 * the same owner. Only the first of them is in the owner's list and has `owner` set. It has the smallest key of them, so
 * the owner's key does not depend on the others, and the object gets another owner in a time that does not depend on
 * their number.
 */
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
/* Returns the thread that a thread lends its key to, or NONE. */
unsigned int lender_owner(const struct sched *sched, unsigned int id);
/*
 * Returns the next thread that lends to the same owner, or NONE. The owner's `lender` is the first one. Takes time
 * logarithmic in the threads that wait for one object.
 */
unsigned int lender_after(const struct sched *sched, unsigned int id);
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
