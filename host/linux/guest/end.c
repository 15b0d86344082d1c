// SPDX-License-Identifier: GPL-2.0
/*
 * The event END. Usually it is handled in the guest's own thread, while that exits. That thread does not wait. If no
 * handler thread is idle, if one is orphaned, or if the handler moves, the record and its id remain until the executive
 * has answered. Then the host thread continues the event when an answer has come, or a handler thread is idle again.
 */
#include <linux/jiffies.h>
#include <linux/sched.h>

#include <host/linux/guest/guest.h>
#include <kernel/guest_event.h>

#define PATIENCE msecs_to_jiffies(100) /* for an executive that does not answer */

static bool wants_end(const struct host_guest *g)
{
	const struct executive *x = g->guest.executive;

	return !g->system->guests_ended && x->component &&
	       x->kinds & LIMPET_GUEST_WANTS(LIMPET_GUEST_END);
}

/*
 * Takes a handler thread and starts it. Returns false if no handler thread is idle, or if one is orphaned, because that
 * can still handle an earlier event of this guest. Runs on the guest's CPU with interrupts disabled.
 */
static bool end_start(struct host_guest *g)
{
	const bool known = (g->status & 0x7f) == g->last.number;
	const word words[6] = {
		g->guest.number,
		g->guest.process,
		(word)g->status,
		known ? g->last.code : 0,
		known ? g->last.fields[0] : 0,
		known ? g->last.fields[1] : 0,
	};

	if (g->guest.executive->orphans || !guest_take(&g->guest))
		return false;
	guest_start(&g->guest, LIMPET_GUEST_EVENT(LIMPET_GUEST_END, g->guest.id), words);
	return true;
}

/* Selects the next executive that gets the event, even if it has released the guest. */
static bool end_next(struct host_guest *g)
{
	g->guest.released = 0;
	return guest_level_next(&g->guest);
}

/* --- without the guest's thread */

/* Does one step of an ended guest. Returns whether its event is over. */
static bool end_step(struct host_guest *g)
{
	if (g->guest.thread && g->guest.wanted)
		guest_carried_out(&g->guest, LIMPET_ESTATE);
	if (g->guest.thread)
		return false;
	do {
		if (!g->end_moved && wants_end(g)) {
			g->end_moved = end_start(g);
			if (g->end_moved)
				guest_move(&g->guest);
			return false;
		}
		g->end_moved = false;
	} while (end_next(g));
	list_remove(&g->guest.update);
	return true;
}

/*
 * Does one step of an ended guest, on its CPU with interrupts disabled. Adds it to the CPU's list if its event is not
 * over. Otherwise drops a reference.
 */
static void end_continue(struct host_guest *g)
{
	if (end_step(g)) {
		guest_put(g);
		return;
	}
	list_add_tail(&g->ended, &g->system->host[g->cpu].guests_ended);
	g->guest.executive->queued++;
}

void guest_ends_flush(struct host_thread *host)
{
	struct host_guest *g;
	LIST_HEAD(before);

	local_irq_disable();
	list_splice_init(&host->guests_ended, &before);
	while ((g = list_first_entry_or_null(&before, struct host_guest, ended))) {
		list_del(&g->ended);
		g->guest.executive->queued--;
		end_continue(g);
		local_irq_enable();
		local_irq_disable();
	}
	local_irq_enable();
}

void guest_ends_drop(struct system *system)
{
	struct host_guest *g, *next;

	for (u32 n = 0; n < system->cpus; n++)
		list_for_each_entry_safe(g, next, &system->host[n].guests_ended, ended)
			guest_put(g);
}

/*
 * Ends the use of the guest's thread by the kernel. If the event is not over, it continues without
 * that thread. Interrupts enabled; guest_talk_begin() was called.
 */
static void end_later(struct host_guest *g, bool open)
{
	guest_go_home(g);
	list_remove(&g->guest.update);
	if (open) {
		kref_get(&g->refs);
		end_continue(g);
	}
	local_irq_enable();
	if (open)
		host_kick_cpu(g->system, g->cpu);
}

/* --- in the guest's thread */

/* Returns whether the executive, which was interrupted, may continue here. */
static bool may_continue(unsigned long start)
{
	if (need_resched())
		schedule();
	return time_before(jiffies, start + PATIENCE);
}

/*
 * Returns ENTRY_ANSWERED if the event is over, or was lost with its executive. Otherwise returns
 * ENTRY_MOVE if a thread of the system handles it, or ENTRY_NEW if no handler thread is available.
 */
static enum entry_stop end_talk(struct host_guest *g)
{
	const unsigned long start = jiffies;
	enum entry_stop stop;

	guest_go_home(g);
	if (READ_ONCE(g->system->guests_ended) || !end_start(g)) {
		local_irq_enable();
		return ENTRY_NEW;
	}
	for (;;) {
		stop = guest_run(g);
		if (stop == ENTRY_TASK) {
			guest_request_copy(g);
			local_irq_enable();
			guest_carried_out_here(g, guest_carry_out(g, &g->request)); /* refuses it */
		}
		if ((stop == ENTRY_TASK || stop == ENTRY_INTERRUPTED) && !may_continue(start))
			stop = ENTRY_MOVE;
		if (stop == ENTRY_ANSWERED || stop == ENTRY_MOVE)
			break;
		guest_go_home(g);
		if (!g->guest.thread || READ_ONCE(g->system->guests_ended))
			break; /* in the second case the hook is gone, too */
	}
	guest_go_home(g);
	if (stop == ENTRY_MOVE && g->guest.thread)
		guest_move(&g->guest);
	else
		stop = ENTRY_ANSWERED;
	local_irq_enable();
	return stop;
}

void guest_end(struct host_guest *g)
{
	enum entry_stop stop = ENTRY_ANSWERED;

	g->ending = true;
	g->status = current->exit_code;
	g->guest.hal.fixed = true;
	if (guest_talk_begin(g))
		do
			stop = wants_end(g) ? end_talk(g) : ENTRY_ANSWERED;
		while (stop == ENTRY_ANSWERED && end_next(g));
	guest_leave(g);
	g->end_moved = stop == ENTRY_MOVE;
	if (!READ_ONCE(g->system->guests_ended))
		end_later(g, stop != ENTRY_ANSWERED);
	guest_talk_end(g);
	guest_put(g);
}

void guest_end_run(struct callback_head *work)
{
	guest_end(container_of(work, struct host_guest, end_work));
}
