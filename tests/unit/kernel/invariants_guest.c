// SPDX-License-Identifier: GPL-2.0
/*
 * Checks the invariants of handler threads, executives and guests after each step. <kernel/guest.h>
 * has the table.
 */
#include "guests.h"

#define must(condition, ...)                                                                       \
	do {                                                                                       \
		if (!(condition))                                                                  \
			fail_msg("invariant " #condition ": " __VA_ARGS__);                        \
	} while (0)

static bool is_idle(const struct thread *t)
{
	return t->executive && !t->guest && !t->moved;
}

static bool is_inside(const struct thread *t)
{
	return t->executive && t->guest && !t->moved;
}

static bool is_orphaned(const struct thread *t)
{
	return t->executive && !t->guest && t->moved;
}

static bool is_listed(const struct list *list, const struct thread *t)
{
	for (const struct list *i = list->next; i != list; i = i->next)
		if (i == &t->idle)
			return true;
	return false;
}

/* A moved thread waits for the host, or has just moved and is in the list of moved threads. */
bool guest_waits(const struct thread *t)
{
	return t->executive && (!t->moved || t->idle.next || (t->guest && t->guest->wanted));
}

static bool is_executive_of(const struct cpu *c, const struct executive *x)
{
	return x >= c->executive && x < c->executive + LIMPET_EXECUTIVES_MAX && x->component;
}

static void handler_check(const struct cpu *c, const struct thread *t)
{
	const struct guest *g = t->guest;

	if (!t->executive) {
		must(!g && !t->moved && !t->idle.next, "thread %u handles nothing", t->id);
		return;
	}
	must(is_executive_of(c, t->executive), "thread %u: another CPU's executive", t->id);
	must(t->executive->component == t->frame->component, "thread %u: component", t->id);
	must(t->stack == component_stack(t->executive->component, t->id), "thread %u: stack",
	     t->id);
	must(!g || g->thread == t, "thread %u handles an event of a guest that does not know",
	     t->id);
	must(t->moved || t->state == LIMPET_THREAD_WAITING, "thread %u: state %u", t->id, t->state);
	must(t->moved || t->top == t->frame, "thread %u waits for an event elsewhere", t->id);
	must(t->moved || t->component == t->executive->component, "thread %u starts elsewhere",
	     t->id);
	must(!is_idle(t) || is_listed(&t->executive->idle, t), "thread %u is not listed", t->id);
	must(!is_inside(t) || !t->idle.next, "thread %u is inside, and listed", t->id);
	must(!t->moved || !t->idle.next || is_listed(&c->moved, t), "thread %u: list", t->id);
}

/* Each item of a list is a thread for which the condition holds, and each such thread is in it once. */
static void threads_listed(const struct cpu *c, const struct list *list, const struct executive *x)
{
	unsigned int count = 0, threads = 0;

	for (const struct list *i = list->next; i != list; i = i->next, count++) {
		const struct thread *t = list_object(i, struct thread, idle);

		must(i->before->next == i && i->next->before == i && count < 10000,
		     "a list is torn");
		must(registry_has(t, LIMPET_THREAD), "a thread in a list is gone");
		must(x ? is_idle(t) && t->executive == x : t->executive && t->moved, "thread %u",
		     t->id);
	}
	for (unsigned int i = 0; i < LIMPET_THREADS_MAX; i++) {
		const struct thread *t = c->threads[i];

		threads += t && (x ? is_idle(t) && t->executive == x : t->moved && t->idle.next);
	}
	must(count == threads, "%u listed, %u threads", count, threads);
}

static void executive_check(const struct cpu *c, const struct executive *x)
{
	unsigned int orphans = 0;

	if (!x->component)
		return;
	must(registry_has(x->component, LIMPET_COMPONENT), "an executive is gone");
	for (const struct executive *y = c->executive; y < x; y++)
		must(y->component != x->component, "a component is an executive twice");
	threads_listed(c, &x->idle, x);
	for (unsigned int i = 0; i < LIMPET_THREADS_MAX; i++) {
		const struct thread *t = c->threads[i];

		orphans += t && t->executive == x && is_orphaned(t);
	}
	must(x->orphans == orphans, "an executive counts %u orphans, not %u", x->orphans, orphans);
}

static void guest_check(const struct cpu *c, const struct guest *g)
{
	if (g->cpu != c)
		return;
	must(!g->thread || (registry_has(g->thread, LIMPET_THREAD) && g->thread->guest == g),
	     "guest %u: its thread handles something else", g->id);
	must(!g->answered || !g->thread || !g->thread->moved,
	     "guest %u is answered, and a moved thread handles it", g->id);
	must(!g->wanted || (g->thread && g->thread->moved), "guest %u: a call of no thread", g->id);
	must(!g->wanted || !g->thread->idle.next, "guest %u: its thread can run", g->id);
}

/* A removed guest has no update. */
static void updates_check(const struct cpu *c)
{
	for (const struct list *i = c->updates.next; i != &c->updates; i = i->next) {
		const struct guest *g = list_object(i, struct guest, update);

		must(i->before->next == i && i->next->before == i, "the list of updates is broken");
		must(g >= guests_all && g < guests_all + GUESTS && g->cpu == c,
		     "an update of no guest");
	}
}

void guests_check(const struct cpu *c)
{
	for (unsigned int i = 0; i < LIMPET_THREADS_MAX; i++)
		if (c->threads[i])
			handler_check(c, c->threads[i]);
	for (unsigned int i = 0; i < LIMPET_EXECUTIVES_MAX; i++)
		executive_check(c, &c->executive[i]);
	threads_listed(c, &c->moved, NULL);
	for (unsigned int i = 0; i < GUESTS && c->guests; i++)
		guest_check(c, &guests_all[i]);
	updates_check(c);
}
