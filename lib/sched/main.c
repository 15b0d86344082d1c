// SPDX-License-Identifier: BSD-2-Clause
/* The scheduler's own thread: handles the kernel's events and notices, and dispatches threads. */
#include <sched/enter.h>
#include <sched/setup.h>

/* Handles a notice of the kernel that the state of a thread changed. */
static __attribute__((noinline)) void notice_take(struct sched *s, word notice)
{
	unsigned int id = thread_known(s, LIMPET_NOTICE_ID(notice));
	struct thread *t = &s->thread[id];

	switch (LIMPET_NOTICE_KIND(notice)) {
	case LIMPET_NOTICE_READY:
		if (t->state == STATE_WAITING)
			thread_ready(s, id, time_now(s));
		else if (t->state == STATE_DEAD) /* it was restarted */
			thread_begin(s, id);
		break;
	case LIMPET_NOTICE_WAITING:
		if (t->state == STATE_READY) {
			policy_wait(s, id);
			if (!t->held)
				policy_remove(s, id);
			timers_remove(&s->timers, TIMER_RENEW(id));
			t->held = false;
			t->state = STATE_WAITING;
		}
		break;
	case LIMPET_NOTICE_DEAD:
		thread_dead(s, id);
		break;
	case LIMPET_NOTICE_STOPPED:
		if (t->state == STATE_SPARE)
			spare_remove(s, id);
		if (t->state >= STATE_BLOCKED && t->state <= STATE_EXITED)
			wait_end(s, id);
		break;
	}
}

/* Handles those results of the kernel that do not depend on the state of our data. */
static inline void told(struct sched *s, const struct limpet_out *out)
{
	if (out->w2)
		s->thread[thread_known(s, out->w2 - 1)].inside = false;
	if (!(out->w0 & CLOCK_EVENT))
		return;
	/* Only an idle CPU gets the event early, so idle() set the clock. */
	if (out->w0 & LIMPET_EVENT_EARLY)
		s->reached = s->programmed;
	s->programmed = LIMPET_NEVER;
}

/* Stores a notice that cannot be handled yet. */
static void late_keep(struct sched *s, word notice)
{
	unsigned int id = thread_known(s, LIMPET_NOTICE_ID(notice));

	if (LIMPET_NOTICE_KIND(notice) == LIMPET_NOTICE_READY)
		ids_add(&s->latecomers, id);
	if (LIMPET_NOTICE_KIND(notice) == LIMPET_NOTICE_STOPPED)
		ids_add(&s->stopped, id);
	s->late = s->latecomers.words | s->stopped.words;
}

/*
 * Lets the preempted thread finish its change of our data. It dispatches us afterwards. Until then notices cannot be
 * handled. Only events of waiting threads and ends of waits can arrive in the meantime.
 */
static __attribute__((noinline)) struct limpet_out finish(struct sched *s, struct limpet_out out)
{
	word owner = out.w2;

	while (s->busy && owner) {
		unsigned int id = thread_known(s, owner - 1);

		late_keep(s, out.w1);
		s->contended = 1;
		if (s->thread[id].part)
			id = s->busy; /* the thread of the part that is inside */
		limpet_call_thread_dispatch_receive(LIMPET_SLOT_THREADS + id, 0, &out);
		told(s, &out);
		if (out.w2)
			owner = out.w2;
	}
	s->contended = 0;
	return out;
}

static void late_take(struct sched *s)
{
	s->late = false;
	while (s->latecomers.words)
		notice_take(s, LIMPET_NOTICE(LIMPET_NOTICE_READY, ids_take(&s->latecomers)));
	while (s->stopped.words)
		notice_take(s, LIMPET_NOTICE(LIMPET_NOTICE_STOPPED, ids_take(&s->stopped)));
}

/* Finishes interrupted changes, metering and stored notices before anything else. */
static __attribute__((noinline)) struct limpet_out settle(struct sched *s, struct limpet_out out)
{
	if (s->busy)
		out = finish(s, out);
	if (s->metered)
		meter_end(s);
	if (s->late)
		late_take(s);
	return out;
}

/* Sends the due alarms of parts. The caller checks everything else anyway. */
static __attribute__((noinline)) void recheck(struct sched *s)
{
	s->recheck = false;
	while (s->alarms.words)
		limpet_call_endpoint_send(LIMPET_SLOT_ENDPOINTS + ids_take(&s->alarms), 1);
}

/* Idles the CPU, or the part, until a clock or other event, because no thread can run. */
static inline struct limpet_out idle(struct sched *s)
{
	uint64_t next = timers_next(&s->timers);
	struct limpet_out out;

	if (CLOCK_NESTED && next != s->programmed)
		clock_set(next);
	s->programmed = next;
	if (limpet_call_endpoint_receive(LIMPET_SLOT_ENDPOINT, CLOCK_NESTED ? 0 : next, 0, &out))
		out = (struct limpet_out){ 0 };
	return out;
}

/*
 * Handles a refused dispatch. Either the thread waits and its notice is not read yet, or the thread has failed and is
 * marked as dead.
 */
static __attribute__((noinline)) struct limpet_out refused(struct sched *s, unsigned int id)
{
	struct limpet_out out;

	if (limpet_call_endpoint_receive(LIMPET_SLOT_ENDPOINT, 0, LIMPET_NOWAIT, &out)) {
		thread_dead(s, id);
		out = (struct limpet_out){ 0 };
	}
	return out;
}

/*
 * Dispatches the first ready thread until an event arrives for us, or idles the CPU. Returns immediately if an event is
 * already pending. Structures are passed by value, so that they stay in registers.
 */
static inline struct limpet_out run(struct sched *s)
{
	unsigned int next;
	struct limpet_out out;
	long status;

	if (unlikely(s->rare))
		recheck(s);
	next = policy_top(s);
	if (!next)
		return idle(s);
	status = limpet_call_thread_dispatch_receive(LIMPET_SLOT_THREADS + next,
						     deadline_take(s, next), &out);
	return unlikely(status) ? refused(s, next) : out;
}

/*
 * Dispatches, then handles the results of the kernel. The path from a timer event to the dispatch of the thread that it
 * wakes has no calls and no taken branches in the usual case.
 */
static inline __attribute__((always_inline)) void turn(struct sched *s)
{
	struct limpet_out out = run(s);

	told(s, &out);
	if (unlikely(s->rare))
		out = settle(s, out);
	timers_take(s, time_now(s));
	if (unlikely(out.w1))
		notice_take(s, out.w1);
}

void component_main(const struct limpet_info *info)
{
	sched_begin(&sched, info);
	for (;;)
		turn(&sched);
}
