// SPDX-License-Identifier: GPL-2.0
/* Threads become guests, and stop being guests. */

#include <host/linux/guest/guest.h>

/* --- the hook: `entry_cpu.guest` is set while the thread is on the CPU, armed or not */

struct host_guest *guest_current(void)
{
	struct guest *guest = this_cpu_read(entry_cpu.guest);

	return guest ? host_guest_of(guest) : NULL;
}

void guest_filter_load(void *unused)
{
	const struct host_guest *guest = guest_current();

	preempt_disable();
	if (guest)
		memcpy(this_cpu_ptr(&entry_cpu)->filter, guest->filter, sizeof(guest->filter));
	preempt_enable();
}

static void guest_arm(struct host_guest *guest)
{
	local_irq_disable();
	if (READ_ONCE(guest->armed) && smp_processor_id() == guest->home)
		host_take_entry(&guest->system->host[guest->cpu]);
	this_cpu_write(entry_cpu.guest, &guest->core);
	this_cpu_write(entry_cpu.inside, guest->core.expected ? INSIDE_RESULT : 0);
	guest_filter_load(NULL);
	if (READ_ONCE(guest->armed))
		hook_arm_guest();
	local_irq_enable();
}

static void guest_disarm(void)
{
	hook_disarm();
	this_cpu_write(entry_cpu.inside, 0);
	this_cpu_write(entry_cpu.guest, NULL);
}

void guest_expect_end(struct host_guest *guest)
{
	guest->core.expected = guest->callback = false;
	this_cpu_write(entry_cpu.inside, 0);
}

static void thread_in(struct preempt_notifier *notifier, int cpu)
{
	struct host_guest *guest = container_of(notifier, struct host_guest, notifier);

	guest_arm(guest);
	guest_turn_in(guest);
	if (unlikely(guest->follow_later && !(guest->early & 1 && current->ptrace)))
		guest_follow_again(guest);
	if (unlikely(guest->later)) {
		guest_duty_add(guest, current, guest->later);
		guest->later = 0;
	}
}

static void thread_out(struct preempt_notifier *notifier, struct task_struct *next)
{
	struct host_guest *guest = container_of(notifier, struct host_guest, notifier);

	guest_disarm();
	guest_turn_out(guest);
	if (task_is_traced(current))
		guest->early &= ~1;
}

static struct preempt_ops notifier_ops = { .sched_in = thread_in, .sched_out = thread_out };

/* --- start and end */

static bool is_of_other_system(struct host_guest *guest, const void *system)
{
	return guest->system != system;
}

/*
 * Makes the listed record of the current thread that of a guest. If threads of a process become guests of two systems at
 * the same time, both can get -EBUSY. A child has its parent's system.
 */
static int guest_start_life(struct host_guest *guest)
{
	int error = 0;

	if (guest->origin < LIMPET_GUEST_BY_FORK &&
	    guests_of(current, is_of_other_system, guest->system))
		return -EBUSY;
	raw_spin_lock_irq(&guests_lock);
	if (guest->cancelled || guest->system->guests_ended) {
		error = guest->cancelled ? -ECANCELED : -ENODEV;
	} else {
		guest->task = guest->target;
		guest->target = NULL;
		guest->armed = true;
		WRITE_ONCE(guest_table[guest->core.id], &guest->core);
	}
	raw_spin_unlock_irq(&guests_lock);
	return error;
}

/*
 * Allocates the record for the next child, which cannot become a guest without it. If there is no memory, thread_in()
 * repeats this when Linux switches to the thread again.
 */
static void spare_make(struct host_guest *guest)
{
	guest->spare = guest->spare ?: guest_memory();
	if (!guest->spare)
		guest->later |= DUTY_SPARE;
}

int guest_join(struct host_guest *guest)
{
	int error;

	if (current->flags & PF_EXITING)
		return -ESRCH;
	if (host_is_current())
		return -EBUSY;
	spare_make(guest);
	if (guest_move_home(guest))
		return -EXDEV;
	guest->core.process = task_tgid_nr(current);
	guest->core.number = task_pid_nr(current);
	guest->core.hal.bottom = (word)task_pt_regs(current);
	guest->core.hal.stack = guest->core.hal.bottom;
	error = guest_signals_watch(guest) ?: guest_start_life(guest);
	if (error) {
		guest_release_home(guest);
		return error;
	}
	preempt_notifier_inc(); /* a guest can outlive its system */
	preempt_notifier_init(&guest->notifier, &notifier_ops);
	preempt_disable();
	preempt_notifier_register(&guest->notifier);
	guest->member = true;
	guest_arm(guest);
	guest_turn_in(guest);
	preempt_enable();
	guest_kvm_restart(guest);
	return 0;
}

/*
 * In KVM_RUN, KVM has a preemption notifier, next to the guest's own. KVM for AMD stores the system call MSRs once, and
 * loads them after each exit of the virtual CPU, so Limpet's values would come back after the guest has left. KVM for Intel
 * loads a virtual machine's values once, and an event has replaced them. Both begin again when the thread is scheduled.
 */
void guest_kvm_restart(struct host_guest *guest)
{
	if (likely(!guest->notifier.link.next &&
		   current->preempt_notifiers.first == &guest->notifier.link))
		return;
	guest->talking = true; /* this sleep is not an event */
	schedule_timeout_uninterruptible(1);
	guest->talking = false;
}

void guest_leave(struct host_guest *guest)
{
	guest_kvm_restart(guest);
	preempt_disable();
	guest_disarm();
	preempt_notifier_unregister(&guest->notifier);
	guest->member = false;
	preempt_enable();
	guest_list_remove(guest);
	preempt_notifier_dec();
	guest_turn_exit(guest);
	if (guest->following) /* that callback comes later */
		kref_get(&guest->refs);
}

/* --- duties */

void guest_release(struct host_guest *host)
{
	struct guest *guest = &host->core;

	if (!guest->stacked) {
		guest_duty_add(host, current, DUTY_RELEASE);
		return;
	}
	raw_spin_lock_irq(&guests_lock);
	guest->released |= (u8)BIT(guest->level);
	memset(guest->wants[guest->level], 0, sizeof(*guest->wants));
	guest_filter_join(host);
	raw_spin_unlock_irq(&guests_lock);
	guest_filter_load(NULL);
	if (guest_released(guest))
		guest_duty_add(host, current, DUTY_RELEASE);
}

void guest_life_answered(struct host_guest *guest)
{
	if (guest->core.operation == LIMPET_GUEST_KILL)
		guest_kill(guest->core.value);
	if (guest->core.operation == LIMPET_GUEST_RELEASE)
		guest_release(guest);
}

void guest_report_life(struct host_guest *guest, enum limpet_guest_event kind)
{
	const word words[6] = { guest->core.number, guest->core.process, guest->parent,
				guest->origin };

	guest_registers_read(&guest->core);
	guest->core.changed = false;
	if (guest_level_first(&guest->core))
		do
			if (guest_talk(guest, kind, words) == OUTCOME_ANSWERED)
				guest_life_answered(guest);
			else
				guest_level_restore(&guest->core);
		while (guest_level_next(&guest->core));
	if (guest->core.changed)
		guest_registers_write(&guest->core);
	guest->core.changed = false;
}

int guest_duty_add(struct host_guest *guest, struct task_struct *task, u32 duties)
{
	if (atomic_fetch_or((int)duties, &guest->duties))
		return 0; /* the callback is queued already */
	kref_get(&guest->refs);
	if (!task_work_add(task, &guest->duty_work, TWA_RESUME))
		return 0;
	atomic_set(&guest->duties, 0);
	guest_put(guest);
	return -ESRCH;
}

void guest_drop(struct host_guest *guest)
{
	guest_list_remove(guest);
	guest_put(guest);
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

static void begin(struct host_guest *guest)
{
	int error = is_guest() ? -ECANCELED : guest_join(guest); /* it can be attached twice */

	if (!error) {
		guest_report_life(guest, LIMPET_GUEST_BEGIN);
		return;
	}
	if (error != -ECANCELED && guest->origin >= LIMPET_GUEST_BY_FORK &&
	    !(guest->flags & LIMPET_GUEST_OPEN))
		send_sig(SIGKILL, current, 1); /* it must not continue unseen */
	guest_drop(guest);
}

static void release(struct host_guest *guest)
{
	if (!guest_follow_finish(guest)) {
		guest->later |= DUTY_RELEASE;
		return;
	}
	guest_end(guest);
	guest_release_home(guest);
}

void guest_duty_run(struct callback_head *work)
{
	struct host_guest *guest = container_of(work, struct host_guest, duty_work);
	const u32 duties = (u32)atomic_xchg(&guest->duties, 0);

	if (duties & DUTY_BEGIN)
		begin(guest);
	if (guest->member && !(current->flags & PF_EXITING)) {
		if (duties & DUTY_SPARE)
			spare_make(guest);
		if (duties & DUTY_SIGNAL)
			guest_signals(guest);
		if (duties & DUTY_EXEC)
			guest_report_life(guest, LIMPET_GUEST_EXEC);
		if (duties & DUTY_EXCEPTION)
			guest_exception(guest);
		if (duties & DUTY_BREAK)
			guest_break(guest);
		if (duties & DUTY_RELEASE)
			release(guest);
	}
	guest_put(guest);
}
