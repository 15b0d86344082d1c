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

static bool wants_end(const struct host_guest *guest)
{
	const struct executive *executive = guest->core.executive;

	return !guest->system->guests_ended && executive->component &&
	       executive->kinds & LIMPET_GUEST_WANTS(LIMPET_GUEST_END);
}

/* Returns whether an event can start: a handler thread is idle, and none is orphaned. */
static bool can_start(const struct executive *executive)
{
	return !executive->orphans && executive_first(executive);
}

/*
 * Takes a handler thread and starts it. Returns false if no handler thread is idle, or if one is orphaned, because that
 * can still handle an earlier event of this guest. Runs on the guest's CPU with interrupts disabled.
 */
static bool end_start(struct host_guest *guest)
{
	const bool known = (guest->status & 0x7f) == guest->last.number;
	word words[6] = { guest->core.number, guest->core.process, (word)guest->status };

	if (known) {
		words[3] = guest->last.code;
		memcpy(words + 4, guest->last.fields, 2 * sizeof(word));
	}
	if (!can_start(guest->core.executive) || !guest_take(&guest->core))
		return false;
	guest_start(&guest->core, LIMPET_GUEST_EVENT(LIMPET_GUEST_END, guest->core.id), words);
	return true;
}

/* Selects the next executive that gets the event, even if it has released the guest. */
static bool end_next(struct host_guest *guest)
{
	guest->core.released = 0;
	return guest_level_next(&guest->core);
}

/* --- without the guest's thread */

/* Does one step of an ended guest. Returns whether its event is over. */
static bool end_step(struct host_guest *guest)
{
	if (guest->core.thread && guest->core.wanted)
		guest_carried_out(&guest->core, LIMPET_ESTATE);
	if (guest->core.thread)
		return false;
	do {
		if (!guest->end_moved && wants_end(guest)) {
			guest->end_moved = end_start(guest);
			if (guest->end_moved)
				guest_move(&guest->core);
			return false;
		}
		guest->end_moved = false;
	} while (end_next(guest));
	list_remove(&guest->core.update);
	return true;
}

void guest_end_continue(struct host_guest *guest)
{
	struct executive *executive = guest->core.executive;

	executive->queued -= !!guest->queue.next;
	list_remove(&guest->queue);
	if (end_step(guest)) {
		guest_put(guest);
		return;
	}
	executive = guest->core.executive;
	executive->queued++;
	list_append(guest->core.thread ? &executive->ending : &executive->ended, &guest->queue);
}

void guest_ends_flush(struct executive *executive)
{
	struct host_guest *guest;

	local_irq_disable();
	while ((guest = guest_queued(&executive->ended)) &&
	       (!wants_end(guest) || can_start(executive))) {
		guest_end_continue(guest);
		local_irq_enable();
		local_irq_disable();
	}
	local_irq_enable();
}

void guest_ends_drop(struct system *system)
{
	struct host_guest *guest;

	for (u32 n = 0; n < system->cpus; n++)
		for (u32 i = 0; i < LIMPET_EXECUTIVES_MAX; i++) {
			const struct executive *executive = &system->cpu[n]->executive[i];

			while ((guest = guest_queued(&executive->ended)
						?: guest_queued(&executive->ending))) {
				list_remove(&guest->queue);
				guest_put(guest);
			}
		}
}

/*
 * Ends the use of the guest's thread by the kernel. If the event is not over, it continues without
 * that thread. Interrupts enabled; guest_talk_begin() was called.
 */
static void end_later(struct host_guest *guest, bool open)
{
	guest_go_home(guest);
	list_remove(&guest->core.update);
	if (open) {
		kref_get(&guest->refs);
		guest_end_continue(guest);
	}
	local_irq_enable();
	if (open)
		host_kick_cpu(guest->system, guest->cpu);
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
static enum entry_stop end_talk(struct host_guest *guest)
{
	const unsigned long start = jiffies;
	enum entry_stop stop;

	guest_go_home(guest);
	if (READ_ONCE(guest->system->guests_ended) || !end_start(guest)) {
		local_irq_enable();
		return ENTRY_NEW;
	}
	for (;;) {
		stop = guest_run(guest);
		if (stop == ENTRY_TASK) {
			guest_request_copy(guest);
			local_irq_enable();
			/* guest_carry_out() refuses most requests of an ending guest. */
			guest_request_serve(guest);
		}
		if ((stop == ENTRY_TASK || stop == ENTRY_INTERRUPTED) && !may_continue(start))
			stop = ENTRY_MOVE;
		if (stop == ENTRY_ANSWERED || stop == ENTRY_MOVE)
			break;
		guest_go_home(guest);
		if (guest->core.thread && !thread_is_valid(guest->core.thread))
			stop = ENTRY_MOVE;
		if (!guest->core.thread || stop == ENTRY_MOVE ||
		    READ_ONCE(guest->system->guests_ended))
			break; /* in the last case the hook is gone, too */
	}
	guest_go_home(guest);
	if (stop == ENTRY_MOVE && guest->core.thread)
		guest_move(&guest->core);
	else
		stop = ENTRY_ANSWERED;
	local_irq_enable();
	return stop;
}

void guest_end(struct host_guest *guest)
{
	enum entry_stop stop = ENTRY_ANSWERED;

	guest->ending = true;
	guest->status = current->exit_code;
	guest->core.hal.fixed = true;
	if (guest_talk_begin(guest))
		do
			stop = wants_end(guest) ? end_talk(guest) : ENTRY_ANSWERED;
		while (stop == ENTRY_ANSWERED && end_next(guest));
	guest_leave(guest);
	guest->end_moved = stop == ENTRY_MOVE;
	if (!READ_ONCE(guest->system->guests_ended))
		end_later(guest, stop != ENTRY_ANSWERED);
	guest_talk_end(guest);
	guest_put(guest);
}

void guest_end_run(struct callback_head *work)
{
	guest_end(container_of(work, struct host_guest, end_work));
}
