// SPDX-License-Identifier: GPL-2.0
/*
 * For executives that schedule their guests: the event BREAK. The executive lets all its guests
 * wait but one. The turn of that one ends by a timer, or because it sleeps in Linux. Then Linux
 * runs its heir, whose wait ends. Only threads of guests take part.
 */
#include <linux/sched.h>
#include <linux/sched/rt.h>

#include <host/linux/guest/guest.h>

/*
 * Returns the level of the executive that gets BREAK, or -1. Interrupts are disabled: guests_end() waits for that, so the
 * executive's memory is there.
 */
static int scheduler_of(const struct host_guest *guest)
{
	return READ_ONCE(guest->system->guests_ended) ? -1 : guest_scheduler(&guest->core);
}

static void break_now(struct host_guest *guest)
{
	struct task_struct *task = READ_ONCE(guest->task); /* NULL: it is not a guest any more */

	if (task)
		guest_duty_add(guest, task, DUTY_BREAK);
}

/*
 * If the thread is not on a CPU, guest_turn_in() looks. If the request is for a later time, guest_break() starts the timer
 * again. This callback must not, because the thread can be on another CPU and start it there at the same time.
 */
static enum hrtimer_restart timer_expired(struct hrtimer *timer)
{
	struct host_guest *guest = container_of(timer, struct host_guest, break_timer);

	if (guest->core.since && READ_ONCE(guest->core.break_time) != LIMPET_NEVER)
		break_now(guest);
	return HRTIMER_NORESTART;
}

/*
 * A timer that expires earlier remains, because most turns end before their time, and Linux's
 * timers are expensive.
 */
void guest_break_arm(struct host_guest *guest)
{
	const u64 time = READ_ONCE(guest->core.break_time);

	preempt_disable();
	if (time <= hal_time())
		break_now(guest);
	else if (time != LIMPET_NEVER &&
		 !(hrtimer_is_queued(&guest->break_timer) && guest->break_timer_time <= time)) {
		guest->break_timer_time = time;
		hrtimer_start(&guest->break_timer, host_clock(guest->system, time) + 1,
			      HRTIMER_MODE_ABS_PINNED_HARD);
	}
	preempt_enable();
}

/* --- the thread comes and goes */

void guest_turn_in(struct host_guest *guest)
{
	guest->core.since = hal_time();
	guest->core.asleep = false;
	if (guest->core.break_time != LIMPET_NEVER)
		guest_break_arm(guest);
}

/* A thread that is preempted before it sleeps counts as asleep: then its event comes without reason. */
void guest_turn_out(struct host_guest *guest)
{
	guest->core.ran += hal_time() - guest->core.since;
	guest->core.since = 0;
	if (likely(!READ_ONCE(current->__state) || guest->talking || scheduler_of(guest) < 0))
		return;
	guest->core.asleep = guest->slept = true;
	irq_work_queue(&guest->sleep_work);
}

static void heir_wake(const struct host_guest *guest)
{
	const int level = scheduler_of(guest);

	if (level >= 0 && guest->core.heir)
		guest_wake(guest, guest->core.chain[level], guest->core.heir - 1);
}

/*
 * Runs in an interrupt, because a thread cannot be woken while Linux's scheduler switches threads.
 */
static void sleep_started(struct irq_work *work)
{
	struct host_guest *guest = container_of(work, struct host_guest, sleep_work);

	break_now(guest);
	heir_wake(guest);
}

/* --- the event */

/*
 * Gives the event to the executive that schedules the guest. Returns false if no executive
 * schedules it any more.
 */
static bool level_break(struct host_guest *guest)
{
	int level;

	local_irq_disable();
	level = scheduler_of(guest);
	if (level >= 0)
		guest_level_set(&guest->core, (unsigned int)level);
	local_irq_enable();
	return level >= 0;
}

void guest_break(struct host_guest *guest)
{
	word words[6] = { guest->slept };

	if (!guest->slept && READ_ONCE(guest->core.break_time) > hal_time()) {
		guest_break_arm(guest); /* the timer was for an earlier request */
		return;
	}
	if (rt_task(current))
		yield(); /* a guest of the same priority that has woken in Linux comes to the executive now */
	guest->slept = false;
	guest->core.break_time = LIMPET_NEVER;
	words[1] = guest->core.ran + hal_time() - guest->core.since;
	if (guest->core.stacked && !level_break(guest))
		return;
	if (guest_talk(guest, LIMPET_GUEST_BREAK, words) == OUTCOME_ANSWERED)
		guest_life_answered(guest);
	guest_level_set(&guest->core, 0);
}

void guest_turn_init(struct host_guest *guest)
{
	hrtimer_setup(&guest->break_timer, timer_expired, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_PINNED_HARD);
	guest->core.break_time = LIMPET_NEVER;
	guest->sleep_work = IRQ_WORK_INIT_HARD(sleep_started);
}

void guest_turn_exit(struct host_guest *guest)
{
	hrtimer_cancel(&guest->break_timer);
	irq_work_sync(&guest->sleep_work);
}
