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

/* Adds a thread to the threads that wait for an object. */
static inline void object_join(struct sched *sched, unsigned int id, uint64_t object)
{
	struct thread *thread = &sched->thread[id];
	unsigned int queue = object_queue(sched, object);

	thread->object = object;
	thread->waits = (uint16_t)(1 + queue);
	tree_insert(&sched->waits[queue], LINK(id), thread->key, object_bit(sched, object));
}

/* Removes a thread from the threads that wait for its object. */
static inline void object_leave(struct sched *sched, unsigned int id)
{
	tree_remove(&sched->waits[sched->thread[id].waits - 1], LINK(id));
	sched->thread[id].waits = 0;
}

/* Moves a thread that waits for an object to the place of its new key. */
static inline void object_rekey(struct sched *sched, unsigned int id)
{
	uint64_t object = sched->thread[id].object;

	object_leave(sched, id);
	object_join(sched, id, object);
}

#endif
