/* SPDX-License-Identifier: BSD-2-Clause */
/* How threads come in, give the CPU away, and leave. */
#ifndef SCHED_ENTER_H
#define SCHED_ENTER_H

#include <sched/core.h>

/* The same for those that enter() does not let in at once. */
unsigned int enter_slow(struct sched *sched, unsigned int caller);
/* Clears `busy`; lets the scheduler's thread go on if it waits for that. */
void leave(struct sched *sched, unsigned int id);
/*
 * Gives the CPU to whoever should have it, which may be the caller. Returns, with `busy` cleared,
 * when the caller has the CPU again.
 */
void run_next(struct sched *sched, unsigned int id);
/*
 * The calling thread, whose state says that it waits, gives the CPU away until it is ready again,
 * and has left then.
 */
void wait(struct sched *sched, unsigned int id);
/* Takes the calling thread out of the queue until `due`; LIMPET_NEVER: until it is woken. */
void wait_prepare(struct sched *sched, unsigned int id, enum thread_state state, uint64_t due);
/* The same as wait_expired(), for a thread of a part. */
bool wait_expired_part(struct sched *sched, struct thread *thread);
/* Ends the wait of a thread before its time. */
void wait_end(struct sched *sched, unsigned int id);

/*
 * The calling thread comes in: from here to leave(), run_next() or wait() nobody else changes the
 * data. Returns the id of the thread that it is here, or that stands for its part. NONE: the
 * scheduler does not schedule it, as the booter's.
 */
static inline unsigned int enter(struct sched *sched)
{
	unsigned int id = thread_known(sched, limpet_thread_id());

	if (unlikely(sched->thread[id].state != STATE_READY || sched->thread[id].part))
		return enter_slow(sched, id);
	sched->busy = 1;
	barrier();
	return id;
}

/* Whether the wait that the calling thread has just left ended by time. */
static inline bool wait_expired(struct sched *sched, unsigned int id)
{
	struct thread *thread = &sched->thread[id];

	return likely(!thread->part) ? thread->expired : wait_expired_part(sched, thread);
}

#endif
