/* SPDX-License-Identifier: GPL-2.0 */
/* The functions of guest.h that each system call of a guest executes. */
#ifndef KERNEL_GUEST_EVENT_H
#define KERNEL_GUEST_EVENT_H

#include <kernel/cpu.h>

/* Returns false if the thread's component was stopped after the thread was made. Such a thread must not continue. */
static inline bool thread_is_valid(const struct thread *thread)
{
	return likely(thread->epoch == thread->component->epoch);
}

/*
 * Returns an idle handler thread, or NULL. Threads of a component that was stopped are notified one
 * after another, so the first thread in the list can be one of them.
 */
static inline struct thread *executive_first(const struct executive *executive)
{
	struct list *first = executive->idle.next;
	struct thread *thread = list_object(first, struct thread, idle);

	return likely(first != &executive->idle) && thread_is_valid(thread) ? thread : NULL;
}

/*
 * Takes an idle handler thread for an event of the guest: guest->thread. Returns NULL if no thread is
 * idle, or the executive was stopped.
 */
static inline struct thread *guest_take(struct guest *guest)
{
	struct executive *executive = guest->executive;
	struct thread *thread = executive_first(executive);

	if (unlikely(!thread))
		return NULL;
	executive->idle.next = thread->idle.next;
	executive->idle.next->before = &executive->idle;
	thread->idle.next = NULL;
	thread->guest = guest;
	guest->thread = thread;
	return thread;
}

/*
 * Counts an event that guest->thread starts with. Records it in the trace if it is CALL or RESULT.
 * `*number` is then the number of the call. Interrupts are disabled on the guest's CPU.
 */
static inline void guest_count(struct guest *guest, u32 kind, const word *number)
{
	const u32 as = LIMPET_TRACE_GUEST_CALL - LIMPET_GUEST_CALL + kind,
		  rest = LIMPET_GUEST_FILTER_REST;

	if (kind > LIMPET_GUEST_RESULT) {
		guest->others++;
		return;
	}
	++*(kind == LIMPET_GUEST_CALL ? &guest->calls : &guest->others);
	if (trace_on(&guest->cpu->trace, as))
		trace_put(&guest->cpu->trace, as, guest->thread->id,
			  guest->executive->component->index,
			  (u32)*number < rest ? (u32)*number : rest);
}

/*
 * Makes the thread wait for the next event. It gets the next one, because its memory is in the
 * caches.
 */
static inline void thread_idle(struct executive *executive, struct thread *thread)
{
	thread->guest = NULL;
	thread->idle.next = executive->idle.next;
	thread->idle.before = &executive->idle;
	executive->idle.next->before = &thread->idle;
	executive->idle.next = &thread->idle;
}

/* Makes the handler thread of the guest, which is inside and has answered, idle again. */
static inline void guest_give(struct guest *guest)
{
	thread_idle(guest->executive, guest->thread);
	guest->thread = NULL;
}

#endif
