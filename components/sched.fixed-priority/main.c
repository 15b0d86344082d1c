// SPDX-License-Identifier: BSD-2-Clause
/* The scheduler's own thread: from what the kernel tells to a dispatch. */
#include <runtime/component.h>
#include <runtime/kernel_call.h>
#include <runtime/time.h>

#include "sched.h"

struct sched sched;

/* Takes over the threads that the info page lists. */
static void setup(struct sched *s, const struct limpet_info *info)
{
	*s = (struct sched){ .self = info->thread,
			     .programmed = LIMPET_NEVER,
			     .timers.due[0] = LIMPET_NEVER };
	for (unsigned int id = 1; id <= info->threads && id < LIMPET_THREADS_MAX; id++) {
		s->thread[id].priority = (uint8_t)info->thread_of[id].priority;
		if (id != s->self)
			thread_ready(s, id);
	}
}

void thread_dead(struct sched *s, unsigned int id)
{
	if (s->thread[id].state == STATE_READY)
		ready_remove(&s->ready, id, s->thread[id].priority);
	if (s->thread[id].timed)
		timers_remove(&s->timers, id);
	s->thread[id].timed = false;
	s->thread[id].state = STATE_DEAD;
}

/* The kernel says that a thread's state changed. */
static __attribute__((noinline)) void notice_take(struct sched *s, word notice)
{
	unsigned int id = LIMPET_NOTICE_ID(notice) % LIMPET_THREADS_MAX;
	struct thread *t = &s->thread[id];

	switch (LIMPET_NOTICE_KIND(notice)) {
	case LIMPET_NOTICE_READY:
		if (t->state == STATE_WAITING)
			thread_ready(s, id);
		break;
	case LIMPET_NOTICE_WAITING:
		if (t->state == STATE_READY)
			thread_unready(s, id, STATE_WAITING);
		break;
	case LIMPET_NOTICE_DEAD:
		thread_dead(s, id);
		break;
	}
}

/* What the kernel says of itself, whatever state our data are in. */
static inline void told(struct sched *s, const struct limpet_out *out)
{
	if (out->w2)
		s->thread[(out->w2 - 1) % LIMPET_THREADS_MAX].inside = false;
	if (out->w0 & LIMPET_EVENT_TIMER)
		s->programmed = LIMPET_NEVER;
}

/*
 * The preempted thread was changing our data: lets it go on; it dispatches us when it has finished.
 * Nothing that the kernel told can be taken until then. Only events of waiting threads can come
 * meanwhile.
 */
static __attribute__((noinline)) struct limpet_out finish(struct sched *s, struct limpet_out out)
{
	word owner = out.w2;

	while (s->busy && owner) {
		if (LIMPET_NOTICE_KIND(out.w1) == LIMPET_NOTICE_READY)
			s->late |= 1ul << LIMPET_NOTICE_ID(out.w1) % LIMPET_THREADS_MAX;
		s->contended = 1;
		limpet_call_thread_dispatch_receive(LIMPET_SLOT_THREADS + owner - 1, 0, &out);
		told(s, &out);
		if (out.w2)
			owner = out.w2;
	}
	s->contended = 0;
	return out;
}

static __attribute__((noinline)) void late_take(struct sched *s)
{
	while (s->late) {
		unsigned int id = (unsigned int)__builtin_ctzl(s->late);

		s->late &= s->late - 1;
		notice_take(s, LIMPET_NOTICE(LIMPET_NOTICE_READY, id));
	}
}

/* No thread can run: the CPU idles until the timer is due or an event comes. */
static inline struct limpet_out idle(struct sched *s)
{
	struct limpet_out out;

	s->programmed = timers_next(&s->timers);
	if (limpet_call_endpoint_receive(LIMPET_SLOT_ENDPOINT, s->programmed, 0, &out))
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
 * The most important thread gets the CPU until something comes for us, or the CPU idles. When
 * something is pending already, both come back at once. Structures go by value: in registers.
 */
static inline struct limpet_out run(struct sched *s)
{
	unsigned int next = ready_top(&s->ready);
	struct limpet_out out;
	long status;

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
	if (unlikely(s->busy))
		out = finish(s, out);
	if (unlikely(s->late))
		late_take(s);
	timers_take(s);
	if (unlikely(out.w1))
		notice_take(s, out.w1);
}

long component_init(const struct limpet_info *info)
{
	setup(&sched, info);
	return LIMPET_OK;
}

void component_main(const struct limpet_info *info)
{
	limpet_call_cpu_timer(LIMPET_SLOT_CPU, LIMPET_SLOT_ENDPOINT);
	for (unsigned int id = 1; id <= info->threads && id < LIMPET_THREADS_MAX; id++)
		if (id != info->thread)
			limpet_call_thread_urgency(LIMPET_SLOT_THREADS + id, 1);
	for (;;)
		turn(&sched);
}
