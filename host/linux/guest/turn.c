// SPDX-License-Identifier: GPL-2.0
/*
 * For executives that schedule their guests: the event BREAK. The executive lets all its guests
 * wait but one. The turn of that one ends by a timer, or because it sleeps in Linux. Then Linux
 * runs its heir, whose wait ends. Only threads of guests take part.
 */
#include <linux/sched.h>
#include <linux/sched/rt.h>

#include <host/linux/compat.h>
#include <host/linux/guest/guest.h>

/*
 * Returns the level of the executive that gets BREAK, or -1. Interrupts are disabled: guests_end() waits for that, so the
 * executive's memory is there.
 */
static int scheduler_of(const struct host_guest *g)
{
	return READ_ONCE(g->system->guests_ended) ? -1 : guest_scheduler(&g->guest);
}

static void break_now(struct host_guest *g)
{
	struct task_struct *task = READ_ONCE(g->task); /* NULL: it is not a guest any more */

	if (task)
		guest_duty_add(g, task, DUTY_BREAK);
}

static ktime_t interval(const struct host_guest *g, u64 ticks)
{
	return ns_to_ktime(mul_u64_u64_shr(ticks, g->system->ns_per_tick_shift32, 32) + 1);
}

/* If the thread is not on the CPU, guest_turn_in() looks. */
static enum hrtimer_restart timer_expired(struct hrtimer *timer)
{
	struct host_guest *g = container_of(timer, struct host_guest, break_timer);
	const u64 now = hal_time(), time = READ_ONCE(g->guest.break_time);

	if (!g->guest.since || time == LIMPET_NEVER)
		return HRTIMER_NORESTART;
	if (time <= now) {
		break_now(g);
		return HRTIMER_NORESTART;
	}
	g->break_timer_time = time;
	hrtimer_forward_now(timer, interval(g, time - now));
	return HRTIMER_RESTART;
}

/*
 * A timer that expires earlier remains, because most turns end before their time, and Linux's
 * timers are expensive.
 */
void guest_break_arm(struct host_guest *g)
{
	const u64 now = hal_time(), time = READ_ONCE(g->guest.break_time);

	if (time <= now)
		break_now(g);
	else if (time != LIMPET_NEVER &&
		 !(hrtimer_is_queued(&g->break_timer) && g->break_timer_time <= time)) {
		g->break_timer_time = time;
		hrtimer_start(&g->break_timer, interval(g, time - now),
			      HRTIMER_MODE_REL_PINNED_HARD);
	}
}

/* --- the thread comes and goes */

void guest_turn_in(struct host_guest *g)
{
	g->guest.since = hal_time();
	g->guest.asleep = false;
	if (g->guest.break_time != LIMPET_NEVER)
		guest_break_arm(g);
}

/* A thread that is preempted before it sleeps counts as asleep: then its event comes without reason. */
void guest_turn_out(struct host_guest *g)
{
	g->guest.ran += hal_time() - g->guest.since;
	g->guest.since = 0;
	if (likely(!READ_ONCE(current->__state) || g->talking || scheduler_of(g) < 0))
		return;
	g->guest.asleep = g->slept = true;
	irq_work_queue(&g->sleep_work);
}

static void heir_wake(const struct host_guest *g)
{
	const int level = scheduler_of(g);
	struct host_guest *heir;
	unsigned long flags;

	if (level < 0 || !g->guest.heir)
		return;

	raw_spin_lock_irqsave(&guests_lock, flags);
	heir = host_guest_find(g, g->guest.chain[level], g->guest.heir - 1);
	if (heir)
		guest_wake(heir, g->guest.chain[level]);
	raw_spin_unlock_irqrestore(&guests_lock, flags);
}

/*
 * Runs in an interrupt, because a thread cannot be woken while Linux's scheduler switches threads.
 */
static void sleep_started(struct irq_work *work)
{
	struct host_guest *g = container_of(work, struct host_guest, sleep_work);

	break_now(g);
	heir_wake(g);
}

/* --- the event */

/*
 * Gives the event to the executive that schedules the guest. Returns false if no executive
 * schedules it any more.
 */
static bool level_break(struct host_guest *g)
{
	int level;

	local_irq_disable();
	level = scheduler_of(g);
	if (level >= 0)
		guest_level_set(&g->guest, (unsigned int)level);
	local_irq_enable();
	return level >= 0;
}

void guest_break(struct host_guest *g)
{
	word words[6] = { g->slept };

	if (rt_task(current))
		yield(); /* a guest of the same priority that has woken in Linux comes to the executive now */
	g->slept = false;
	g->guest.break_time = LIMPET_NEVER;
	words[1] = g->guest.ran + hal_time() - g->guest.since;
	if (g->guest.stacked && !level_break(g))
		return;
	if (guest_talk(g, LIMPET_GUEST_BREAK, words) == OUTCOME_ANSWERED)
		guest_life_answered(g);
	guest_level_set(&g->guest, 0);
}

void guest_turn_init(struct host_guest *g)
{
	hrtimer_setup(&g->break_timer, timer_expired, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_HARD);
	g->guest.break_time = LIMPET_NEVER;
	g->sleep_work = IRQ_WORK_INIT_HARD(sleep_started);
}

void guest_turn_exit(struct host_guest *g)
{
	hrtimer_cancel(&g->break_timer);
	irq_work_sync(&g->sleep_work);
}
