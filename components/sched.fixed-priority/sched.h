/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sched.fixed-priority: which thread of this CPU runs.
 *
 * Threads enter by invocation and suspend themselves here, in a dispatch of their own. The
 * scheduler's own thread is the most urgent of the CPU: the kernel switches to it when the timer is
 * due, when an event makes a thread ready, and when a thread waits in the kernel or dies. All other
 * threads have urgency 1, so nothing but the scheduler's thread ever preempts a thread.
 *
 * That makes the lock simple. A thread sets `busy` while it changes the data here. If the
 * scheduler's thread finds it set, the thread that it preempted is the one inside: it sets
 * `contended`, dispatches that thread again, and gets the CPU back when `busy` is cleared. So no
 * thread but the scheduler's ever meets a lock that is taken.
 *
 * A thread that gives the CPU away keeps `busy` set until the other one has it, and that one clears
 * it: in between, a dispatch that was decided cannot become stale. Only a thread suspended here,
 * `inside`, can clear it; to one that was preempted elsewhere, and to an idle CPU, the way leads
 * through the scheduler's thread. To dispatch that one is never wrong, so `busy` is cleared before.
 */
#ifndef SCHED_H
#define SCHED_H

#include <runtime/time.h>

#include "ready.h"
#include "timers.h"

#define PERIOD_LEAST 1000ul	/* ticks: less than a wake-up costs */
#define PERIOD_MOST (1ul << 40) /* ticks: minutes */

enum thread_state {
	STATE_NONE = 0,	 /* not a thread that is scheduled here */
	STATE_READY,	 /* in the ready queue; one of these is the running one */
	STATE_BLOCKED,	 /* until another thread wakes it, or a time */
	STATE_SUSPENDED, /* the same with wake-ups of its own, for locks */
	STATE_SLEEPING,	 /* until a time */
	STATE_WAITING,	 /* for an event, in the kernel */
	STATE_DEAD,
};

struct thread {
	uint8_t state;
	bool timed;	  /* it is in the list of timers */
	bool expired;	  /* its wait ended by time */
	bool inside;	  /* if it does not run: it is suspended in a dispatch of its own, here */
	uint8_t priority; /* 1 to 255, greater is more important */
	uint8_t tokens;	  /* bit of a state: woken from it while it was in another */
	uint64_t release; /* periodic: the next release */
	uint64_t period;  /* in ticks; 0: not periodic */
};

struct sched {
	uint32_t busy;
	uint32_t contended;
	unsigned int self;   /* id of the scheduler's thread */
	uint64_t programmed; /* the deadline that the kernel has */
	uint64_t late;	     /* bit n: thread n became ready while `busy` was set */
	struct ready ready;
	struct timers timers;
	struct thread thread[LIMPET_THREADS_MAX];
};

extern struct sched sched;

/* Everything below is called with `busy` set, or by the scheduler's thread. */

/* Makes a thread ready that is not. */
static inline void thread_ready(struct sched *s, unsigned int id)
{
	s->thread[id].state = STATE_READY;
	ready_append(&s->ready, id, s->thread[id].priority);
}

/* Takes a ready thread out of the queue. */
static inline void thread_unready(struct sched *s, unsigned int id, enum thread_state state)
{
	s->thread[id].state = (uint8_t)state;
	ready_remove(&s->ready, id, s->thread[id].priority);
}

/* Wakes every thread whose time has come; mostly that is one, or none. */
static inline void timers_take(struct sched *s)
{
	uint64_t now = limpet_time();

	while (timers_next(&s->timers) <= now) {
		unsigned int id = timers_pop(&s->timers);

		s->thread[id].timed = false;
		s->thread[id].expired = true;
		thread_ready(s, id);
	}
}

/*
 * When the timer has to come while thread `id` runs: for the first of those sleepers that are more
 * important. The others are seen to when it gives the CPU away; to set the timer for them now would
 * only make its start later. At most as many turns as threads sleep.
 */
static inline uint64_t deadline_of(const struct sched *s, unsigned int id)
{
	unsigned int at = s->timers.first, priority = s->thread[id].priority;

	while (at && s->thread[at].priority <= priority)
		at = s->timers.next[at];
	return s->timers.due[at];
}

/* What to pass with the dispatch of thread `id`: 0 if the timer comes early enough as it is. */
static inline uint64_t deadline_take(struct sched *s, unsigned int id)
{
	uint64_t deadline = deadline_of(s, id);

	if (likely(deadline >= s->programmed))
		return 0;
	s->programmed = deadline;
	return deadline;
}

/* Marks a thread as one that can not run any more. */
void thread_dead(struct sched *s, unsigned int id);

#endif
