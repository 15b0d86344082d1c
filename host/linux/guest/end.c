// SPDX-License-Identifier: GPL-2.0
/*
 * The event END. The Linux thread does not wait for it, so its record and its id stay until the executive has answered.
 */
#include <host/linux/guest/guest.h>
#include <kernel/guest_event.h>

/* Guests whose event END is not over. guests_lock protects the list. */
static LIST_HEAD(ended);

static bool wants_end(const struct host_guest *g)
{
	const struct executive *x = g->guest.executive;

	return !g->system->guests_ended && x->component &&
	       x->kinds & LIMPET_GUEST_WANTS(LIMPET_GUEST_END);
}

/* Begins the event of a guest if there is a handler thread. On the guest's CPU, interrupts disabled. */
static void end_begin(struct host_guest *g)
{
	const word words[6] = { g->guest.number, g->guest.process, (word)g->status };

	if (!guest_take(&g->guest))
		return;
	guest_start(&g->guest, LIMPET_GUEST_EVENT(LIMPET_GUEST_END, g->guest.id), words);
	guest_move(&g->guest);
	g->state = LIMPET_GUEST_MOVED;
}

/* One step of an ended guest. Returns whether its event is over. */
static bool end_step(struct host_guest *g)
{
	if (g->guest.thread)
		return false;
	if (g->state == LIMPET_GUEST_MOVED || !wants_end(g))
		return true;
	end_begin(g);
	return false;
}

static void over_put(struct list_head *over)
{
	struct host_guest *g, *next;

	list_for_each_entry_safe(g, next, over, list) {
		list_del_init(&g->list);
		guest_put(g);
	}
}

void guest_ends_flush(struct cpu *cpu)
{
	struct host_guest *g, *next;
	unsigned long flags;
	LIST_HEAD(over);

	raw_spin_lock_irqsave(&guests_lock, flags);
	list_for_each_entry_safe(g, next, &ended, list)
		if (g->guest.cpu == cpu && end_step(g))
			list_move(&g->list, &over);
	raw_spin_unlock_irqrestore(&guests_lock, flags);
	over_put(&over);
}

/* On the guest's CPU, interrupts disabled. */
static void end_at_home(void *data)
{
	struct host_guest *g = data;
	struct cpu *cpu = g->guest.cpu;

	if (g->guest.thread)
		guest_orphan(&g->guest);
	list_remove(&g->guest.news);
	raw_spin_lock(&guests_lock);
	list_add_tail(&g->list, &ended);
	raw_spin_unlock(&guests_lock);
	guest_ends_flush(cpu);
}

void guest_end(struct host_guest *g)
{
	struct system *system = g->system;
	const u32 cpu = g->cpu;

	/* While this is set, guests_end() waits. */
	if (!guest_talk_begin(g)) {
		guest_talk_end(g);
		guest_put(g);
		return;
	}
	kref_get(&g->refs);
	smp_call_function_single(g->home, end_at_home, g, 1);
	host_kick_cpu(system, cpu);
	guest_talk_end(g);
	guest_put(g);
}

void guest_ends_drop(struct system *system)
{
	struct host_guest *g, *next;
	LIST_HEAD(over);

	raw_spin_lock_irq(&guests_lock);
	list_for_each_entry_safe(g, next, &ended, list)
		if (g->system == system)
			list_move(&g->list, &over);
	raw_spin_unlock_irq(&guests_lock);
	over_put(&over);
}
