// SPDX-License-Identifier: GPL-2.0
/*
 * Handles Linux's tracepoints of guests: children, programs, ends. Also handles the guests of a
 * system as a whole.
 */
#include <linux/miscdevice.h>

#include <host/linux/guest/guest.h>
#include <host/linux/guest/tracepoint.h>

/* --- functions that tracepoint.c calls */

/* Returns the child's record, or NULL. */
static struct host_guest *child_make(struct host_guest *parent, struct task_struct *child)
{
	struct host_guest *guest = parent->spare;

	if (!guest || guest_init(guest, parent->system, parent->core.cpu, parent->user))
		return NULL;
	parent->spare = NULL;
	guest->flags = parent->flags;
	cpumask_copy(to_cpumask(guest->allowed), to_cpumask(parent->allowed));
	guest->parent = 1 + parent->core.id;
	guest->origin = same_thread_group(child, current) ? LIMPET_GUEST_BY_THREAD
							  : LIMPET_GUEST_BY_FORK;
	return guest;
}

/*
 * Handles a child that cannot become a guest, and must not continue unseen. It does not run yet. On PREEMPT_RT its
 * signals' lock can sleep, so a signal that another thread sends at the same time can replace this one there.
 */
static void child_kill(const struct host_guest *parent, struct task_struct *child)
{
	if (parent->flags & LIMPET_GUEST_OPEN)
		return;
	if (!IS_ENABLED(CONFIG_PREEMPT_RT)) {
		send_sig(SIGKILL, child, 1);
		return;
	}
	sigaddset(&child->pending.signal, SIGKILL);
	set_tsk_thread_flag(child, TIF_SIGPENDING);
}

/*
 * Returns the record of the current thread if it is a guest, or has been attached and becomes one at its next return to
 * user level. Otherwise returns NULL. The lock keeps other callbacks in the list, which their owners can cancel.
 */
static struct host_guest *parent_find(void)
{
	struct host_guest *guest = guest_current();
	struct callback_head *work;

	if (guest || likely(!READ_ONCE(current->task_works)))
		return guest;
	raw_spin_lock_irq(&current->pi_lock);
	for (work = READ_ONCE(current->task_works); work && !guest; work = READ_ONCE(work->next))
		if (work->func == guest_duty_run)
			guest = container_of(work, struct host_guest, duty_work);
	raw_spin_unlock_irq(&current->pi_lock);
	return guest;
}

void guest_forked(struct task_struct *child)
{
	struct host_guest *parent = parent_find(), *guest;

	if (!parent || child->flags & (PF_KTHREAD | PF_IO_WORKER))
		return;
	guest_own_child(parent, child);
	if (parent->flags & LIMPET_GUEST_ALONE || !(parent->armed || parent->target) ||
	    parent->cancelled || ((u32)atomic_read(&parent->duties) | parent->later) & DUTY_RELEASE)
		return;
	guest = child_make(parent, child);
	guest_duty_add(parent, current, DUTY_SPARE);
	if (guest) {
		guest_list_add(guest, child, parent);
		if (!guest_duty_add(guest, child, DUTY_BEGIN))
			return;
		guest_drop(guest);
	}
	child_kill(parent, child);
}

void guest_executed(void)
{
	struct host_guest *guest = guest_current();
	const bool left = guest && guest->flags & LIMPET_GUEST_ALONE && !guest->entering;

	host_thread_ends();
	if (!guest || !guest->member)
		return;
	guest->entering = false;
	guest_expect_end(guest);
	guest->core.changed = false;
	/* If this was not the process's first thread, its number changes. */
	guest->core.number = task_pid_nr(current);
	guest_duty_add(guest, current, left ? DUTY_RELEASE : DUTY_EXEC);
}

void guest_exited(void)
{
	struct host_guest *guest = guest_current();

	host_thread_ends();
	if (!guest || !guest->member || guest->ending)
		return;
	guest->ending = true;
	task_work_add(current, &guest->end_work, TWA_NONE); /* Linux runs it later in the exit */
}

/* --- the module */

int guests_init(void)
{
	int cpu, error;

	for_each_possible_cpu(cpu)
		per_cpu(entry_cpu, cpu).self = per_cpu_ptr(&entry_cpu, cpu);
	error = guest_tracepoints_init(false);
	if (error)
		return error;
	error = misc_register(&guest_device);
	if (error)
		guest_tracepoints_exit(false);
	return error;
}

/*
 * A guest that is on a CPU does not make calls of its executive any more. On a CPU without a guest, a virtual machine that
 * a guest has created with KVM for Intel can have left SYSENTER off.
 */
static void disarm_here(void *system)
{
	const struct host_guest *guest = guest_current();

	if (!guest || guest->system == system)
		hook_disarm();
}

void guests_exit(void)
{
	on_each_cpu(disarm_here, NULL, 1);
	misc_deregister(&guest_device);
	guest_tracepoints_exit(false);
	guest_users_free();
}

/* --- systems */

void guests_prepare(struct system *system)
{
	for (u32 n = 0; n < system->cpus; n++) {
		system->cpu[n]->guests = guest_table;
		init_irq_work(&system->host[n].guest_idle, guest_idle_wake);
	}
}

/*
 * Takes a guest from its system, unless it has left it before. The hook stays until the thread has a duty or SIGKILL. A
 * thread without all three would execute its SYSCALL again, with the result as the call's number.
 */
static void guest_without_system(struct host_guest *guest)
{
	struct task_struct *task = NULL;

	raw_spin_lock_irq(&guests_lock);
	if (guest->armed) {
		kref_get(&guest->refs);
		task = get_task_struct(guest->task);
	}
	raw_spin_unlock_irq(&guests_lock);
	if (!task)
		return;
	if (guest->flags & LIMPET_GUEST_OPEN)
		guest_duty_add(guest, task, DUTY_RELEASE);
	else
		send_sig(SIGKILL, task, 1);
	WRITE_ONCE(guest_table[guest->core.id], NULL);
	WRITE_ONCE(guest->armed, false);
	wake_up_process(task);
	put_task_struct(task);
	guest_put(guest);
}

void guests_end(struct system *system)
{
	struct host_guest *guest;

	raw_spin_lock_irq(&guests_lock);
	system->guests_ended = true;
	raw_spin_unlock_irq(&guests_lock);
	smp_mb(); /* guest_talk_begin() */
	rcu_read_lock();
	list_for_each_entry_rcu(guest, &guests, list) if (guest->system == system)
		guest_without_system(guest);
	/* After this, no CPU uses a record that it has looked up before. */
	on_each_cpu(disarm_here, system, 1);
	rcu_read_unlock();
	wait_event(system->waiters, !atomic_read(&system->guests_talking));
	for (u32 n = 0; n < system->cpus; n++)
		irq_work_sync(&system->host[n].guest_idle);
	guest_signals_unwatch(system);
	guest_ends_drop(system);
	guest_maps_end(system);
}
