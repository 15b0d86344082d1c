/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sched.table: a table has time slots for the threads of components, in a cycle that repeats. In its slot a component's
 * threads run before all others, by priority. Outside of its slots they do not run. Threads of components without a
 * slot use the remaining time, also by priority.
 */
#ifndef POLICY_H
#define POLICY_H

#include <sched/queue.h>

#define POLICY_URGENCY 0
#define POLICY_RESERVES 0
#define POLICY_GRID 0
#define POLICY_UNLIMITED 1
#define POLICY_JOBS 0
#define POLICY_TIMER 1
#define POLICY_RANKS 0

#define SLOTS 16
#define GROUP_REST (1u << 31) /* the threads of components without a slot */

struct slot {
	uint64_t begin, end; /* ticks from the start of the cycle */
	uint32_t group;	     /* the bit of its component */
};

struct policy {
	struct tree ready;
	struct slot slot[SLOTS]; /* slots in the order of time */
	unsigned int slots;
	uint64_t cycle, began; /* ticks; time stamp of the current cycle's start */
	unsigned int at;       /* the current or next slot; `slots`: no more in this cycle */
	uint32_t group;	       /* group of the current slot; 0: no slot */
};

extern struct policy policy;

/* Reads the table: arguments cycle-us, slot-0 and so on. */
long policy_setup(struct sched *sched, const struct limpet_info *info);
/* Starts the first cycle. */
void policy_begin(struct sched *sched);
/* Starts or ends a slot. */
void policy_timer(struct sched *sched);

static inline void policy_key(struct sched *sched, unsigned int id)
{
	sched->thread[id].own = 255u - sched->thread[id].priority;
}

static inline void policy_insert(struct sched *sched, unsigned int id)
{
	queue_insert(&policy.ready, sched->thread, id, sched->thread[id].groups);
	if (sched->turns) /* the running thread may have to take turns now */
		sched->recheck = true;
}

static inline void policy_remove(struct sched *sched, unsigned int id)
{
	queue_remove(&policy.ready, sched->thread, id);
}

/* Returns the first ready thread of this slot's group, else of the rest. */
static inline unsigned int policy_top(const struct sched *sched)
{
	unsigned int id = queue_top_with(&policy.ready, policy.group);

	(void)sched;
	return id ? id : queue_top_with(&policy.ready, GROUP_REST);
}

/* `id` runs, so it is the first of its groups in the queue. A thread of other groups may be before the next one. */
static inline bool policy_shared(const struct sched *sched, unsigned int id)
{
	unsigned int next = queue_next_with(&policy.ready, id, sched->thread[id].groups);

	return next && sched->thread[next].key == sched->thread[id].key;
}

static inline void policy_refill(struct thread *thread, uint64_t now)
{
	(void)thread;
	(void)now;
}

static inline void policy_arrive(struct sched *sched, unsigned int id, uint64_t at)
{
	(void)at;
	policy_insert(sched, id);
}

#endif
