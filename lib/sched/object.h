/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Objects that threads wait for, such as the locks of a component. An object is identified by its component and a
 * number. A queue has the threads that wait for objects with the same hash, by key. The summary of the queue's tree is a
 * second hash, so a descent finds the most important thread that waits for an object.
 *
 * An object for which no thread waits needs no memory. Objects with the same hash share one time stamp: that of the
 * last wake-up.
 *
 * The hashes depend on the time at which the scheduler started, in ticks, which no component knows. Else a component
 * could choose numbers with the hashes of another component's object, and make each search for its threads linear.
 */
#ifndef SCHED_OBJECT_H
#define SCHED_OBJECT_H

#include <sched/key.h>
#include <sched/sched.h>

#define OBJECT_BITS 48

/* Returns the object with that number of the component that the badge identifies. */
static inline uint64_t object_of(word badge, word object)
{
	return badge << OBJECT_BITS | (object & ((1ul << OBJECT_BITS) - 1));
}

/* Returns the queue of an object. */
static inline unsigned int object_queue(const struct sched *sched, uint64_t object)
{
	return (unsigned int)(object * sched->factor >> 58);
}

/* Returns the bit of an object in the summary of its queue. */
static inline uint32_t object_bit(const struct sched *sched, uint64_t object)
{
	return 1u << (object * sched->factor >> 53 & 31);
}

static inline void objects_init(struct sched *sched)
{
	sched->factor = (limpet_time() | 1) * 0x9e3779b97f4a7c15ul;
	for (unsigned int i = 0; i < WAITS; i++)
		tree_init(&sched->waits[i], &sched->thread[0].ready, true);
}

/* Searches for the first thread that waits for an object: waiter_first(). */
unsigned int waiter_search(const struct sched *sched, uint64_t object);

/* Returns the first thread that waits for an object, or NONE. Takes logarithmic time. */
static inline unsigned int waiter_first(const struct sched *sched, uint64_t object)
{
	return sched->waits[object_queue(sched, object)].root ? waiter_search(sched, object) : NONE;
}

/* Returns the thread that comes after another one that waits for the same object, or NONE. Takes logarithmic time. */
unsigned int waiter_next(const struct sched *sched, unsigned int id);
/* Makes `first` of an object's threads lend to `owner` for all of them. `before` is the one that did so, or NONE. */
void object_lend(struct sched *sched, unsigned int before, unsigned int first, unsigned int owner);
/* Moves a thread that waits for an object to the place of its new key. */
void object_rekey(struct sched *sched, unsigned int id);

/*
 * Adds a thread to the threads that wait for an object. `first` is the first of the others, or NONE. All of them then
 * lend to `owner`; NONE: to the same thread as before. Updates no keys.
 */
static inline void object_join(struct sched *sched, unsigned int id, uint64_t object,
			       unsigned int first, unsigned int owner)
{
	struct thread *thread = &sched->thread[id], *other = &sched->thread[first];
	unsigned int queue = object_queue(sched, object);

	thread->object = object;
	thread->waits = (uint16_t)(1 + queue);
	tree_insert(&sched->waits[queue], LINK(id), thread->key, object_bit(sched, object));
	if (first)
		object_lend(sched, first, thread->key < other->key ? id : first,
			    owner ? owner : other->owner);
	else if (owner)
		lender_add(sched, id, owner);
}

/* Removes a thread from the threads that wait for its object. The others lend as before. Updates no keys. */
static inline void object_leave(struct sched *sched, unsigned int id)
{
	struct thread *thread = &sched->thread[id];
	unsigned int owner = thread->owner, next;

	tree_remove(&sched->waits[thread->waits - 1], LINK(id));
	thread->waits = 0;
	if (!owner)
		return;
	lender_remove(sched, id);
	next = waiter_first(sched, thread->object);
	if (next)
		lender_add(sched, next, owner);
}

#endif
