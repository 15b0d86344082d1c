/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCHED_LEND_H
#define SCHED_LEND_H

#include <sched/enter.h>

/* Updates `owner` after a thread began to lend to it; NONE: it lends to no thread. */
void key_lent(struct sched *sched, unsigned int id, unsigned int owner);
/* Updates both threads after threads that lent to `from` began to lend to `to`. */
void lenders_moved(struct sched *sched, unsigned int from, unsigned int to);

/*
 * Makes the owner of a lock run in place of the caller. Both are threads of one part, which cannot wait for itself, and
 * whose nested scheduler does not know the lock. The caller has entered, and has left when this returns. LIMPET_OK: the
 * caller must check the lock again. LIMPET_ETIME: the deadline has passed.
 */
long owner_run(struct sched *sched, unsigned int id, word owner, uint64_t deadline);

/* Returns whether `owner`, which `to` represents, is another thread of the part that `id` represents. */
static inline bool owner_within(const struct sched *sched, unsigned int id, unsigned int to,
				word owner)
{
	return unlikely(to == id) && sched->thread[id].part && owner != limpet_thread_id();
}

/*
 * Called when the caller releases something. If a thread of its part let it run for that, the nested scheduler selects
 * again, because run_next() then switches to it.
 */
static inline void part_released(struct sched *sched, unsigned int id)
{
	if (likely(!sched->thread[id].yields))
		return;
	sched->thread[id].yields = 0;
	sched->recheck = true;
}

/* Leaves after the caller released something for which no thread waits here. */
static inline void release_leave(struct sched *sched, unsigned int id)
{
	if (likely(!sched->thread[id].yields)) {
		leave(sched, id);
		return;
	}
	part_released(sched, id);
	run_next(sched, id);
}

#endif
