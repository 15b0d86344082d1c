/* SPDX-License-Identifier: GPL-2.0 */
/* The functions of guest.h that each system call of a guest executes. */
#ifndef KERNEL_GUEST_EVENT_H
#define KERNEL_GUEST_EVENT_H

#include <kernel/cpu.h>

/*
 * Returns an idle handler thread, or NULL. Threads of a component that was stopped are notified one
 * after another, so the first thread in the list can be one of them. The host may call this on any
 * CPU. The result then only hints whether the executive can take an event.
 */
static inline struct thread *executive_first(const struct executive *x)
{
	struct list *first = x->idle.next;
	struct thread *t = list_object(first, struct thread, idle);

	return likely(first != &x->idle && t->epoch == t->component->epoch) ? t : NULL;
}

/*
 * Takes an idle handler thread for an event of the guest: g->thread. Returns NULL if no thread is
 * idle, or the executive was stopped.
 */
static inline struct thread *guest_take(struct guest *g)
{
	struct executive *x = g->executive;
	struct thread *t = executive_first(x);

	if (unlikely(!t))
		return NULL;
	x->idle.next = t->idle.next;
	x->idle.next->before = &x->idle;
	t->idle.next = NULL;
	t->guest = g;
	g->thread = t;
	return t;
}

/*
 * Counts an event that g->thread starts with. Records it in the trace if it is CALL or RESULT.
 * `*number` is then the number of the call. Interrupts are disabled on the guest's CPU.
 */
static inline void guest_count(struct guest *g, u32 kind, const word *number)
{
	const u32 as = LIMPET_TRACE_GUEST_CALL - LIMPET_GUEST_CALL + kind,
		  rest = LIMPET_GUEST_FILTER_REST;

	if (kind > LIMPET_GUEST_RESULT) {
		g->others++;
		return;
	}
	++*(kind == LIMPET_GUEST_CALL ? &g->calls : &g->others);
	if (trace_on(&g->cpu->trace, as))
		trace_put(&g->cpu->trace, as, g->thread->id, g->executive->component->index,
			  (u32)*number < rest ? (u32)*number : rest);
}

/*
 * Makes the thread wait for the next event. It gets the next one, because its memory is in the
 * caches.
 */
static inline void thread_idle(struct executive *x, struct thread *t)
{
	t->guest = NULL;
	t->idle.next = x->idle.next;
	t->idle.before = &x->idle;
	x->idle.next->before = &t->idle;
	x->idle.next = &t->idle;
}

/* Makes the handler thread of the guest, which is inside and has answered, idle again. */
static inline void guest_give(struct guest *g)
{
	thread_idle(g->executive, g->thread);
	g->thread = NULL;
}

#endif
