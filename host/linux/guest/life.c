// SPDX-License-Identifier: GPL-2.0
/* Threads become guests, and stop being guests. */
#include <linux/ptrace.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>

#include <host/linux/compat.h>
#include <host/linux/guest/guest.h>

/* --- the hook: `entry_cpu.guest` is set while the thread is on the CPU, armed or not */

struct host_guest *guest_current(void)
{
	struct guest *guest = this_cpu_read(entry_cpu.guest);

	return guest ? host_guest_of(guest) : NULL;
}

void guest_filter_load(const struct host_guest *g)
{
	struct entry_cpu *e = this_cpu_ptr(&entry_cpu);
	unsigned long flags;

	local_irq_save(flags);
	if (e->guest == &g->guest && READ_ONCE(g->armed)) {
		memcpy(e->filter, g->filter, sizeof(e->filter));
		hook_disarm(); /* the filter before may have needed more */
		hook_arm_guest();
	}
	local_irq_restore(flags);
}

static void guest_arm(struct host_guest *g)
{
	if (READ_ONCE(g->armed) && smp_processor_id() == g->home)
		host_take_entry(&g->system->host[g->cpu]);
	this_cpu_write(entry_cpu.guest, &g->guest);
	this_cpu_write(entry_cpu.inside, g->guest.expected ? INSIDE_RESULT : 0);
	guest_filter_load(g);
}

static void guest_disarm(void)
{
	hook_disarm();
	this_cpu_write(entry_cpu.inside, 0);
	this_cpu_write(entry_cpu.guest, NULL);
}

void guest_expect_end(struct host_guest *g)
{
	g->guest.expected = g->callback = false;
	this_cpu_write(entry_cpu.inside, 0);
}

static void thread_in(struct preempt_notifier *notifier, int cpu)
{
	struct host_guest *g = container_of(notifier, struct host_guest, notifier);

	guest_arm(g);
	guest_turn_in(g);
	if (unlikely(g->follow_later && !(g->early && current->ptrace)))
		guest_follow_again(g);
	if (unlikely(g->release_later)) {
		g->release_later = false;
		guest_duty_add(g, current, DUTY_RELEASE);
	}
	if (unlikely(g->spare_later)) {
		g->spare_later = false;
		guest_duty_add(g, current, DUTY_SPARE);
	}
	if (unlikely(g->signals_later)) {
		g->signals_later = false;
		guest_duty_add(g, current, DUTY_SIGNAL);
	}
}

static void thread_out(struct preempt_notifier *notifier, struct task_struct *next)
{
	struct host_guest *g = container_of(notifier, struct host_guest, notifier);

	guest_disarm();
	guest_turn_out(g);
	g->early = g->early && !task_is_traced(current);
}

static struct preempt_ops notifier_ops = { .sched_in = thread_in, .sched_out = thread_out };

/* --- start and end */

/*
 * Returns whether the current process has guests of another system. A child's parent has the
 * child's system.
 */
static bool has_other_system(const struct host_guest *g)
{
	const struct host_guest *other;

	if (g->origin >= LIMPET_GUEST_BY_FORK)
		return false;
	list_for_each_entry(other, &guests, list)
		if (other->system != g->system && same_thread_group(other->task, current))
			return true;
	return false;
}

/*
 * Puts the current thread into the list of guests, immediately after it has left the list of coming
 * ones.
 */
static int guest_list(struct host_guest *g)
{
	int error = 0;

	raw_spin_lock_irq(&guests_lock);
	if (g->cancelled || g->system->guests_ended) {
		error = g->cancelled ? -ECANCELED : -ENODEV;
	} else if (has_other_system(g)) {
		error = -EBUSY;
	} else {
		g->task = g->target ?: get_task_struct(current);
		g->target = NULL;
		list_move_tail(&g->list, &guests);
		guests_count++;
		WRITE_ONCE(g->system->guests[g->guest.id], &g->guest);
		g->armed = true;
	}
	raw_spin_unlock_irq(&guests_lock);
	return error;
}

/*
 * Allocates the record for the next child, which cannot become a guest without it. If there is no memory, thread_in()
 * repeats this when Linux switches to the thread again.
 */
static void spare_make(struct host_guest *g)
{
	if (!g->spare)
		g->spare = guest_memory();
	g->spare_later = !g->spare;
}

int guest_join(struct host_guest *g)
{
	int error;

	if (current->flags & PF_EXITING)
		return -ESRCH;
	spare_make(g);
	if (guest_move_home(g))
		return -EXDEV;
	g->guest.process = task_tgid_nr(current);
	g->guest.number = task_pid_nr(current);
	g->guest.hal.bottom = (word)task_pt_regs(current);
	g->guest.hal.stack = g->guest.hal.bottom;
	error = guest_signals_watch(g);
	if (error)
		return error;
	preempt_notifier_inc(); /* a guest can outlive its system */
	error = guest_list(g);
	if (error) {
		preempt_notifier_dec();
		return error;
	}
	preempt_notifier_init(&g->notifier, &notifier_ops);
	preempt_disable();
	preempt_notifier_register(&g->notifier);
	g->member = true;
	guest_arm(g);
	guest_turn_in(g);
	preempt_enable();
	return 0;
}

void guest_leave(struct host_guest *g)
{
	unsigned long flags;

	preempt_disable();
	guest_disarm();
	preempt_notifier_unregister(&g->notifier);
	g->member = false;
	preempt_enable();
	raw_spin_lock_irqsave(&guests_lock, flags);
	if (!g->system->guests_ended)
		WRITE_ONCE(g->system->guests[g->guest.id], NULL);
	g->armed = false;
	list_del_init(&g->list);
	guests_count--;
	g->task = NULL;
	raw_spin_unlock_irqrestore(&guests_lock, flags);
	preempt_notifier_dec();
	guest_turn_exit(g);
	put_task_struct(current); /* never the last reference */
	if (g->following)	  /* that callback comes later */
		kref_get(&g->refs);
}

/* --- duties */

void guest_release(struct host_guest *g)
{
	struct guest *guest = &g->guest;

	if (!guest->stacked) {
		guest_duty_add(g, current, DUTY_RELEASE);
		return;
	}
	raw_spin_lock_irq(&guests_lock);
	guest->released |= (u8)BIT(guest->level);
	memset(guest->wants[guest->level], 0, sizeof(*guest->wants));
	guest_filter_join(g);
	raw_spin_unlock_irq(&guests_lock);
	preempt_disable();
	guest_filter_load(g);
	preempt_enable();
	if (guest_released(guest))
		guest_duty_add(g, current, DUTY_RELEASE);
}

void guest_life_answered(struct host_guest *g)
{
	if (g->guest.operation == LIMPET_GUEST_KILL)
		guest_kill(g->guest.value);
	if (g->guest.operation == LIMPET_GUEST_RELEASE)
		guest_release(g);
}

void guest_report_life(struct host_guest *g, enum limpet_guest_event kind)
{
	const word words[6] = { g->guest.number, g->guest.process, g->parent, g->origin };

	guest_registers_read(&g->guest);
	g->guest.changed = false;
	if (guest_level_first(&g->guest))
		do
			if (guest_talk(g, kind, words) == OUTCOME_ANSWERED)
				guest_life_answered(g);
			else
				guest_level_restore(&g->guest);
		while (guest_level_next(&g->guest));
	if (g->guest.changed)
		guest_registers_write(&g->guest);
	g->guest.changed = false;
}

int guest_duty_add(struct host_guest *g, struct task_struct *task, enum guest_duty duty)
{
	if (atomic_long_fetch_or(BIT(duty), &g->duties))
		return 0; /* the callback is queued already */
	kref_get(&g->refs);
	if (!task_work_add(task, &g->duty_work, TWA_RESUME))
		return 0;
	atomic_long_set(&g->duties, 0);
	guest_put(g);
	return -ESRCH;
}

/* Handles a thread that cannot become a guest, and must not continue unseen. */
static void doom(const struct host_guest *g)
{
	if (!(g->flags & LIMPET_GUEST_OPEN))
		send_sig(SIGKILL, current, 1);
}

void guest_coming(struct host_guest *g, struct task_struct *task)
{
	unsigned long flags;

	g->target = get_task_struct(task);
	raw_spin_lock_irqsave(&guests_lock, flags);
	list_add_tail(&g->list, &guests_coming);
	raw_spin_unlock_irqrestore(&guests_lock, flags);
}

void guest_coming_end(struct host_guest *g)
{
	struct task_struct *target = g->target;
	unsigned long flags;

	raw_spin_lock_irqsave(&guests_lock, flags);
	list_del_init(&g->list);
	g->target = NULL;
	raw_spin_unlock_irqrestore(&guests_lock, flags);
	put_task_struct(target); /* not the last reference */
	guest_put(g);
}

/*
 * Returns whether the thread is a guest already, and remains one. A guest that is being released ends first. The bit of
 * its duty remains set while the callback is queued. Otherwise guest_duty_add() would queue the callback twice.
 */
static bool is_guest(void)
{
	struct host_guest *before = guest_current();

	if (!before || !before->member)
		return false;
	if (!(atomic_long_read(&before->duties) & BIT(DUTY_RELEASE)))
		return true;
	guest_follow_finish(before);
	guest_end(before);
	guest_release_home(before); /* the queued callback has a reference */
	return false;
}

static void begin(struct host_guest *g)
{
	int error = is_guest() ? -ECANCELED : guest_join(g); /* it can be attached twice */

	if (!error) {
		guest_report_life(g, LIMPET_GUEST_BEGIN);
		return;
	}
	if (error != -ECANCELED && g->origin >= LIMPET_GUEST_BY_FORK)
		doom(g);
	guest_coming_end(g);
}

static void release(struct host_guest *g)
{
	if (!guest_follow_finish(g)) {
		g->release_later = true;
		return;
	}
	guest_end(g);
	guest_release_home(g);
}

void guest_duty_run(struct callback_head *work)
{
	struct host_guest *g = container_of(work, struct host_guest, duty_work);
	unsigned long duties = atomic_long_xchg(&g->duties, 0);

	if (duties & BIT(DUTY_DOOMED))
		doom(g);
	if (duties & BIT(DUTY_BEGIN))
		begin(g);
	if (g->member && !(current->flags & PF_EXITING)) {
		if (duties & BIT(DUTY_SPARE))
			spare_make(g);
		if (duties & BIT(DUTY_SIGNAL))
			guest_signals(g);
		if (duties & BIT(DUTY_EXEC))
			guest_report_life(g, LIMPET_GUEST_EXEC);
		if (duties & BIT(DUTY_EXCEPTION))
			guest_exception(g);
		if (duties & BIT(DUTY_BREAK))
			guest_break(g);
		if (duties & BIT(DUTY_RELEASE))
			release(g);
	}
	guest_put(g);
}
