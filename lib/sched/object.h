/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Objects that threads wait for: locks and the like of components. They are known by the component
 * and a number. A queue has the threads that wait for objects with the same hash, by key; the
 * summary of its tree is a second hash. So the most important thread that waits for an object is
 * found by descending.
 *
 * Nothing is kept of an object for which no thread waits, except, for all objects with the same hash,
 * when one of these was named last.
 */
#ifndef SCHED_OBJECT_H
#define SCHED_OBJECT_H

#include <sched/sched.h>

void objects_init(struct sched *sched);
/* A thread waits for an object no more. */
void object_leave(struct sched *sched, unsigned int id);
/* The key of a thread that waits for an object has changed. */
void object_rekey(struct sched *sched, unsigned int id);

#endif
