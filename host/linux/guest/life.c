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
	if (unlikely(g->follow_later && !(g->early & 1 && current->ptrace)))
		guest_follow_again(g);
	if (unlikely(g->later)) {
		guest_duty_add(g, current, g->later);
		g->later = 0;
	}
}

static void thread_out(struct preempt_notifier *notifier, struct task_struct *next)
{
	struct host_guest *g = container_of(notifier, struct host_guest, notifier);

	guest_disarm();
	guest_turn_out(g);
	if (task_is_traced(current))
		g->early &= ~1;
}

static struct preempt_ops notifier_ops = { .sched_in = thread_in, .sched_out = thread_out };

/* --- start and end */

static bool is_of_other_system(struct host_guest *g, const void *system)
{
	return g->system != system;
}

/*
 * Makes the listed record of the current thread that of a guest. If threads of a process become guests of two systems at
 * the same time, both can get -EBUSY. A child has its parent's system.
 */
static int guest_start_life(struct host_guest *g)
{
	int error = 0;

	if (g->origin < LIMPET_GUEST_BY_FORK && guests_of(current, is_of_other_system, g->system))
		return -EBUSY;
	raw_spin_lock_irq(&guests_lock);
	if (g->cancelled || g->system->guests_ended) {
		error = g->cancelled ? -ECANCELED : -ENODEV;
	} else {
		g->task = g->target;
		g->target = NULL;
		g->armed = true;
		WRITE_ONCE(guest_table[g->guest.id], &g->guest);
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
	if (!g->spare)
		g->later |= DUTY_SPARE;
}

int guest_join(struct host_guest *g)
{
	int error;

	if (current->flags & PF_EXITING)
		return -ESRCH;
	if (host_is_current())
		return -EBUSY;
	spare_make(g);
	if (guest_move_home(g))
		return -EXDEV;
	g->guest.process = task_tgid_nr(current);
	g->guest.number = task_pid_nr(current);
	g->guest.hal.bottom = (word)task_pt_regs(current);
	g->guest.hal.stack = g->guest.hal.bottom;
	error = guest_signals_watch(g) ?: guest_start_life(g);
	if (error)
		return error;
	preempt_notifier_inc(); /* a guest can outlive its system */
	preempt_notifier_init(&g->notifier, &notifier_ops);
	preempt_disable();
	preempt_notifier_register(&g->notifier);
	g->member = true;
	guest_arm(g);
	guest_turn_in(g);
	preempt_enable();
	return 0;
}

/*
 * In KVM_RUN, KVM has a preemption notifier, next to the guest's own. KVM for AMD stores the system call MSRs once, and
 * loads them after each exit of the virtual CPU, so Limpet's values would come back after the guest has left. KVM for Intel
 * loads a virtual machine's values once, and an event has replaced them. Both begin again when the thread is scheduled.
 */
void guest_kvm_restart(struct host_guest *g)
{
	if (likely(!g->notifier.link.next && current->preempt_notifiers.first == &g->notifier.link))
		return;
	g->talking = true; /* this sleep is not an event */
	schedule_timeout_uninterruptible(1);
	g->talking = false;
}

void guest_leave(struct host_guest *g)
{
	guest_kvm_restart(g);
	preempt_disable();
	guest_disarm();
	preempt_notifier_unregister(&g->notifier);
	g->member = false;
	preempt_enable();
	guest_list_remove(g);
	preempt_notifier_dec();
	guest_turn_exit(g);
	if (g->following) /* that callback comes later */
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

int guest_duty_add(struct host_guest *g, struct task_struct *task, u32 duties)
{
	if (atomic_fetch_or((int)duties, &g->duties))
		return 0; /* the callback is queued already */
	kref_get(&g->refs);
	if (!task_work_add(task, &g->duty_work, TWA_RESUME))
		return 0;
	atomic_set(&g->duties, 0);
	guest_put(g);
	return -ESRCH;
}

void guest_drop(struct host_guest *g)
{
	guest_list_remove(g);
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
	if (!(atomic_read(&before->duties) & DUTY_RELEASE))
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
	if (error != -ECANCELED && g->origin >= LIMPET_GUEST_BY_FORK &&
	    !(g->flags & LIMPET_GUEST_OPEN))
		send_sig(SIGKILL, current, 1); /* it must not continue unseen */
	guest_drop(g);
}

static void release(struct host_guest *g)
{
	if (!guest_follow_finish(g)) {
		g->later |= DUTY_RELEASE;
		return;
	}
	guest_end(g);
	guest_release_home(g);
}

void guest_duty_run(struct callback_head *work)
{
	struct host_guest *g = container_of(work, struct host_guest, duty_work);
	const u32 duties = (u32)atomic_xchg(&g->duties, 0);

	if (duties & DUTY_BEGIN)
		begin(g);
	if (g->member && !(current->flags & PF_EXITING)) {
		if (duties & DUTY_SPARE)
			spare_make(g);
		if (duties & DUTY_SIGNAL)
			guest_signals(g);
		if (duties & DUTY_EXEC)
			guest_report_life(g, LIMPET_GUEST_EXEC);
		if (duties & DUTY_EXCEPTION)
			guest_exception(g);
		if (duties & DUTY_BREAK)
			guest_break(g);
		if (duties & DUTY_RELEASE)
			release(g);
	}
	guest_put(g);
}
