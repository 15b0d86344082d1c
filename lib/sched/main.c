// SPDX-License-Identifier: BSD-2-Clause
/* The scheduler's own thread: handles the kernel's events and notices, and dispatches threads. */
#include <sched/budget.h>
#include <sched/enter.h>
#include <sched/setup.h>
#include <sched/spare.h>

#define HOLDER_US 50 /* longer than a thread holds the lock of the data */

/* Handles a notice of the kernel that the state of a thread changed. */
static __attribute__((noinline)) void notice_take(struct sched *sched, word notice)
{
	unsigned int id = thread_known(sched, LIMPET_NOTICE_ID(notice));
	struct thread *thread = &sched->thread[id];

	switch (LIMPET_NOTICE_KIND(notice)) {
	case LIMPET_NOTICE_READY:
		if (thread->state == STATE_WAITING)
			thread_ready(sched, id, time_now(sched));
		else if (thread->state == STATE_DEAD) /* it was restarted */
			thread_begin(sched, id);
		break;
	case LIMPET_NOTICE_WAITING:
		if (thread->state == STATE_READY) {
			policy_wait(sched, id);
			if (!thread->held)
				policy_remove(sched, id);
			hold_end(sched, id);
			thread->state = STATE_WAITING;
		} else if (thread->part && thread->state != STATE_WAITING &&
			   thread->state != STATE_DEAD) {
			/* Its part waits here. It must be able to run when that wait ends. */
			limpet_call_endpoint_send(LIMPET_SLOT_ENDPOINTS + id, 1);
		}
		break;
	case LIMPET_NOTICE_DEAD:
		thread_dead(sched, id);
		break;
	case LIMPET_NOTICE_STOPPED:
		if (thread->state == STATE_SPARE)
			spare_remove(sched, id);
		if (thread->state >= STATE_BLOCKED && thread->state <= STATE_EXITED) {
			wait_end(sched, id);
		} else if (thread->state == STATE_DEAD) {
			/* It has ended, or its READY was replaced. It must run to die in the kernel. */
			thread_reset(sched, id);
			thread_ready(sched, id, time_now(sched));
		}
		break;
	}
}

/* Handles those results of the kernel that do not depend on the state of our data. */
static inline void results_take(struct sched *sched, const struct limpet_out *out)
{
	if (out->w2)
		sched->thread[thread_known(sched, out->w2 - 1)].in_dispatch = false;
	if (!(out->w0 & CLOCK_EVENT))
		return;
	/* Only an idle CPU gets the event early, so idle() set the clock. */
	if (out->w0 & LIMPET_EVENT_EARLY)
		sched->reached = sched->programmed;
	sched->programmed = LIMPET_NEVER;
}

/* Stores a notice that cannot be handled yet. */
static void late_keep(struct sched *sched, word notice)
{
	unsigned int id = thread_known(sched, LIMPET_NOTICE_ID(notice));

	switch (LIMPET_NOTICE_KIND(notice)) {
	case LIMPET_NOTICE_READY:
		ids_add(&sched->latecomers, id);
		break;
	case LIMPET_NOTICE_WAITING:
		ids_remove(&sched->latecomers, id);
		ids_add(&sched->waiting, id);
		break;
	case LIMPET_NOTICE_DEAD:
		ids_remove(&sched->latecomers, id);
		ids_remove(&sched->waiting, id);
		ids_remove(&sched->stopped, id);
		ids_add(&sched->dead, id);
		break;
	case LIMPET_NOTICE_STOPPED:
		ids_add(&sched->stopped, id);
		break;
	default:
		return;
	}
	sched->late = true;
}

/*
 * Returns the thread that holds the lock and that the scheduler's thread has preempted, or NONE. `owner` is 1 + the id
 * of the thread that was preempted last. It is 0 if the scheduler's thread runs because a nested scheduler waits or is
 * dead, after it has preempted its thread that holds the lock.
 */
static unsigned int lock_holder(const struct sched *sched, word owner)
{
	unsigned int id = owner ? thread_known(sched, owner - 1) : NONE, caller = sched->data_lock;

	if (id && !sched->thread[id].part)
		return id;
	return sched->thread[sched->thread[caller].proxy].part ? caller : NONE;
}

/*
 * Returns the deadline to pass with the dispatch of the holder. A nested scheduler can take the CPU from its thread. So
 * the clock is set, because no other event may come for us.
 */
static uint64_t holder_deadline(struct sched *sched, unsigned int id)
{
	uint64_t deadline;

	if (sched->thread[id].proxy == id)
		return 0;
	deadline = limpet_time() + limpet_us_to_ticks(HOLDER_US);
	if (deadline >= sched->programmed)
		return 0;
	return clock_set(&sched->programmed, deadline);
}

/*
 * Lets the preempted thread finish its change of our data. It dispatches us afterwards. Until then notices cannot be
 * handled. A nested scheduler can preempt the thread again, and then also wait or die.
 */
static __attribute__((noinline)) struct limpet_out finish(struct sched *sched,
							  struct limpet_out out)
{
	word owner = out.w2;
	unsigned int id;

	while (sched->data_lock && (id = lock_holder(sched, owner))) {
		late_keep(sched, out.w1);
		sched->contended = 1;
		if (limpet_call_thread_dispatch_receive(LIMPET_SLOT_THREADS + id,
							holder_deadline(sched, id), &out)) {
			out = (struct limpet_out){ 0 };
			sched->data_lock = 0; /* the thread is dead, so it cannot finish */
		}
		results_take(sched, &out);
		if (out.w2)
			owner = out.w2;
	}
	sched->contended = 0;
	return out;
}

static void late_take(struct sched *sched)
{
	sched->late = false;
	while (sched->dead.words)
		notice_take(sched, LIMPET_NOTICE(LIMPET_NOTICE_DEAD, ids_take(&sched->dead)));
	while (sched->waiting.words)
		notice_take(sched, LIMPET_NOTICE(LIMPET_NOTICE_WAITING, ids_take(&sched->waiting)));
	while (sched->latecomers.words)
		notice_take(sched,
			    LIMPET_NOTICE(LIMPET_NOTICE_READY, ids_take(&sched->latecomers)));
	while (sched->stopped.words)
		notice_take(sched, LIMPET_NOTICE(LIMPET_NOTICE_STOPPED, ids_take(&sched->stopped)));
}

/* Finishes interrupted changes, metering and stored notices before anything else. */
static __attribute__((noinline)) struct limpet_out settle(struct sched *sched,
							  struct limpet_out out)
{
	if (sched->data_lock)
		out = finish(sched, out);
	if (sched->metered) {
		/* Threads whose wait ends now come before one whose turn ends. */
		timers_take(sched, time_now(sched));
		meter_end(sched);
	}
	if (sched->late)
		late_take(sched);
	return out;
}

/* Sends the due alarms of parts. The caller checks everything else anyway. */
static __attribute__((noinline)) void recheck(struct sched *sched)
{
	sched->recheck = false;
	while (sched->alarms.words)
		limpet_call_endpoint_send(LIMPET_SLOT_ENDPOINTS + ids_take(&sched->alarms), 1);
}

/* Idles the CPU, or the part, until a clock or other event, because no thread can run. */
static inline struct limpet_out idle(struct sched *sched)
{
	uint64_t next = timers_next(&sched->timers);
	struct limpet_out out;

	if (!CLOCK_NESTED)
		sched->programmed = next;
	else if (next != sched->programmed)
		clock_set(&sched->programmed, next);
	if (limpet_call_endpoint_receive(LIMPET_SLOT_ENDPOINT, CLOCK_NESTED ? 0 : next, 0, &out))
		out = (struct limpet_out){ 0 };
	return out;
}

/*
 * Handles a refused dispatch. Either the thread waits and its notice is not read yet, or the thread has failed and is
 * marked as dead.
 */
static __attribute__((noinline)) struct limpet_out refused(struct sched *sched, unsigned int id)
{
	struct limpet_out out;

	if (limpet_call_endpoint_receive(LIMPET_SLOT_ENDPOINT, 0, LIMPET_NOWAIT, &out)) {
		thread_dead(sched, id);
		out = (struct limpet_out){ 0 };
	}
	return out;
}

/*
 * Dispatches the first ready thread until an event arrives for us, or idles the CPU. Returns immediately if an event is
 * already pending. Structures are passed by value, so that they stay in registers.
 */
static inline struct limpet_out run(struct sched *sched)
{
	unsigned int next;
	struct limpet_out out;
	long status;

	if (unlikely(sched->rare))
		recheck(sched);
	next = policy_top(sched);
	if (!next)
		return idle(sched);
	status = limpet_call_thread_dispatch_receive(LIMPET_SLOT_THREADS + next,
						     deadline_take(sched, next), &out);
	return unlikely(status) ? refused(sched, next) : out;
}

/*
 * Dispatches, then handles the results of the kernel. The path from a timer event to the dispatch of the thread that it
 * wakes has no calls and no taken branches in the usual case.
 */
static inline __attribute__((always_inline)) void turn(struct sched *sched)
{
	struct limpet_out out = run(sched);

	results_take(sched, &out);
	if (unlikely(sched->rare))
		out = settle(sched, out);
	timers_take(sched, time_now(sched));
	if (unlikely(out.w1))
		notice_take(sched, out.w1);
}

void component_main(const struct limpet_info *info)
{
	sched_begin(&sched, info);
	for (;;)
		turn(&sched);
}
