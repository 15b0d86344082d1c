/* SPDX-License-Identifier: BSD-2-Clause */
/* The ways into the scheduler: enter, switch to the next thread, wait, leave. */
#ifndef SCHED_ENTER_H
#define SCHED_ENTER_H

#include <sched/core.h>

/* The slow part of enter(). */
unsigned int enter_slow(struct sched *sched, unsigned int caller);
/* Releases the lock. Continues the scheduler's thread if it waits for that. */
void leave(struct sched *sched, unsigned int id);
/*
 * Switches to the thread that should run, which may be the caller. Returns when the caller has the CPU again. The
 * caller does not hold the lock any more.
 */
void run_next(struct sched *sched, unsigned int id);
/*
 * Runs other threads until the calling thread is ready again. The caller has set its state to a wait. It does not hold
 * the lock any more when this returns.
 */
void wait_finish(struct sched *sched, unsigned int id);
/*
 * Removes the calling thread from the ready ones until the time stamp `due`, less the lead; LIMPET_NEVER: until it is
 * woken.
 */
void wait_prepare(struct sched *sched, unsigned int id, enum thread_state state, uint64_t due);
/* The part of wait_expired() for a thread of a part. */
bool wait_expired_part(struct sched *sched, struct thread *thread);
/* Ends the wait of a thread before its time-out. */
void wait_end(struct sched *sched, unsigned int id);
/* Ends the wait of the thread that joins this one. It does nothing if that wait has already timed out. */
void joiner_wake(struct sched *sched, unsigned int id);

/*
 * Enters the scheduler and takes the lock. Until leave(), run_next() or wait_finish() no other thread changes the data.
 * Returns the id of the calling thread, or of the thread that represents its part. Returns NONE for a thread that this
 * scheduler does not schedule, such as the booter's.
 */
static inline unsigned int enter(struct sched *sched)
{
	unsigned int id = thread_known(sched, limpet_thread_id());

	if (unlikely(sched->thread[id].state != STATE_READY || sched->thread[id].part))
		return enter_slow(sched, id);
	sched->data_lock = 1;
	barrier();
	return id;
}

/* Returns whether the last wait of the calling thread timed out. */
static inline bool wait_expired(struct sched *sched, unsigned int id)
{
	struct thread *thread = &sched->thread[id];

	return likely(!thread->part) ? thread->expired : wait_expired_part(sched, thread);
}

#endif
