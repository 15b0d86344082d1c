// SPDX-License-Identifier: BSD-2-Clause
/* The scheduler's own thread: from what the kernel tells to a dispatch. */
#include <sched/enter.h>
#include <sched/setup.h>

/* The kernel says that a thread's state changed. */
static __attribute__((noinline)) void notice_take(struct sched *s, word notice)
{
	unsigned int id = thread_known(s, LIMPET_NOTICE_ID(notice));
	struct thread *t = &s->thread[id];

	switch (LIMPET_NOTICE_KIND(notice)) {
	case LIMPET_NOTICE_READY:
		if (t->state == STATE_WAITING)
			thread_ready(s, id, time_now(s));
		else if (t->state == STATE_DEAD) /* it was started again */
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

/* What the kernel says of itself, whatever state our data are in. */
static inline void told(struct sched *s, const struct limpet_out *out)
{
	if (out->w2)
		s->thread[thread_known(s, out->w2 - 1)].inside = false;
	if (!(out->w0 & CLOCK_EVENT))
		return;
	if (out->w0 & LIMPET_EVENT_EARLY) /* to an idle CPU, so it is the time that idle() set */
		s->reached = s->programmed;
	s->programmed = LIMPET_NEVER;
}

/* A notice that cannot be taken yet. */
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
 * The preempted thread was changing our data: lets it go on; it dispatches us when it has finished.
 * Nothing that the kernel told can be taken until then. Only events of waiting threads, and ends of
 * waits, can come meanwhile.
 */
static __attribute__((noinline)) struct limpet_out finish(struct sched *s, struct limpet_out out)
{
	word owner = out.w2;

	while (s->busy && owner) {
		unsigned int id = thread_known(s, owner - 1);

		late_keep(s, out.w1);
		s->contended = 1;
		if (s->thread[id].part)
			id = s->busy; /* which of its threads */
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

/* What has to be done before anything else. */
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

/* Parts whose alarm came hear of it. All else is looked at anyway. */
static __attribute__((noinline)) void recheck(struct sched *s)
{
	s->recheck = false;
	while (s->alarms.words)
		limpet_call_endpoint_send(LIMPET_SLOT_ENDPOINTS + ids_take(&s->alarms), 1);
}

/* No thread can run: the CPU, or the part, idles until the clock or an event comes. */
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
 * The thread that was to run does not. It waits, and the notice of that is not read yet; or else
 * something is wrong with it.
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
 * Who comes first gets the CPU until something comes for us, or the CPU idles. When something is
 * pending already, both come back at once. Structures go by value: in registers.
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
 * One turn: dispatches, then takes what the kernel tells. From a timer event to the dispatch of the
 * thread that it wakes nothing is called and the usual branches are not taken.
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
