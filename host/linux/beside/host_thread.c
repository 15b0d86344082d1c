// SPDX-License-Identifier: GPL-2.0
/*
 * The host thread: a pinned real-time thread of a Linux process in whose place components run. All
 * that the kernel needs of Linux is done here, in an ordinary system call of that thread.
 */
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/timekeeping.h>
#include <asm/invpcid.h>

#include <host/linux/compat.h>
#include <host/linux/channel/channel.h>
#include <host/linux/parts.h>

#define RETURN_TRIES 5000 /* of 1 ms, for a thread to get back to its CPU */
/*
 * Wake-ups that each window of gravity ignores, because rare work of Linux makes some of them very
 * late.
 */
#define SPARED_WAKES 2

static struct host_thread *host_of(struct preempt_notifier *notifier)
{
	return container_of(notifier, struct host_thread, notifier);
}

/*
 * Returns whether the thread is pinned. Linux unpins it when its CPU starts to go offline, even if
 * that fails.
 */
static bool is_pinned(const struct host_thread *host, unsigned int cpu)
{
	return cpu == host->linux_cpu && current->nr_cpus_allowed == 1;
}

/*
 * Returns false after exec, and on another CPU, to which another process may have moved the thread.
 */
static bool may_arm(const struct host_thread *host, unsigned int cpu)
{
	return host->armed && current->mm == host->mm && is_pinned(host, cpu);
}

/*
 * Ends the system of a thread that exits or has called exec, so that it never parks again. Called
 * in the scheduler, where no thread may be woken.
 */
static void host_lost(struct host_thread *host)
{
	WRITE_ONCE(host->armed, false);
	irq_work_queue(&host->system->lost_interrupt);
}

static void lost_interrupt(struct irq_work *work)
{
	schedule_work(&container_of(work, struct system, lost_interrupt)->lost);
}

static void lost_work(struct work_struct *work)
{
	struct system *system = container_of(work, struct system, lost);

	system_end(system, LIMPET_END_HOST);
	wake_up_all(&system->gone);
}

void host_prepare(struct system *system)
{
	INIT_WORK(&system->lost, lost_work);
	init_irq_work(&system->lost_interrupt, lost_interrupt);
}

void host_forget(struct system *system)
{
	for (u32 n = 0; n < system->cpus; n++)
		host_leave(&system->host[n]);
	irq_work_sync(&system->lost_interrupt);
	cancel_work_sync(&system->lost);
}

/*
 * Flushes the TLB entries of all process-context ids. Linux uses these ids without INVPCID, too. There it flushes by a
 * change of CR4.PGE (SDM vol. 3 section 4.10.4.1), as this does. Preemption is disabled.
 */
static void translations_flush(void)
{
	unsigned long flags, cr4;

	if (!entry_cr3_keep)
		return;
	if (boot_cpu_has(X86_FEATURE_INVPCID)) {
		invpcid_flush_all_nonglobals();
		return;
	}
	local_irq_save(flags); /* an interrupt's own change of CR4 would be lost */
	cr4 = native_read_cr4();
	asm volatile("mov %0, %%cr4" : : "r"(cr4 ^ X86_CR4_PGE) : "memory");
	asm volatile("mov %0, %%cr4" : : "r"(cr4) : "memory");
	local_irq_restore(flags);
}

/*
 * Loads the host thread's state. Systems use the same process-context ids, so the other system's
 * translations are flushed.
 */
static void entry_load(const struct host_thread *host)
{
	struct entry_cpu *e = host->entry;

	e->stack = host->stack;
	e->resume_ip = host->resume_ip;
	e->park_ip = host->park_ip;
	e->inside = 0;
	WRITE_ONCE(e->cpu, host->cpu);
	translations_flush();
}

void host_take_entry(const struct host_thread *host)
{
	if (unlikely(host->entry->cpu != host->cpu))
		entry_load(host);
}

static void thread_in(struct preempt_notifier *notifier, int cpu)
{
	struct host_thread *host = host_of(notifier);

	if (unlikely(!may_arm(host, cpu)))
		return;
	host_take_entry(host);
	hook_arm();
}

static void thread_out(struct preempt_notifier *notifier, struct task_struct *next)
{
	struct host_thread *host = host_of(notifier);

	if (unlikely(!host->armed))
		return;
	hook_disarm();
	if (unlikely(current->flags & PF_EXITING || current->mm != host->mm))
		host_lost(host);
}

static struct preempt_ops notifier_ops = { .sched_in = thread_in, .sched_out = thread_out };

/* Time stamp to the host's clock; both are read as close together as possible. */
static ktime_t clock_of(const struct host_thread *host, u64 deadline)
{
	ktime_t now = ktime_get();
	u64 ticks = hal_time();

	if (deadline <= ticks)
		return now;
	return ktime_add_ns(
		now, mul_u64_u64_shr(deadline - ticks, host->system->ns_per_tick_shift32, 32));
}

/*
 * Wakes the sleeping thread. If its sleeps are periodic, the timer stays queued for the guessed end of the next one.
 * So the clock event device is programmed once a period, by the interrupt that this runs in. timer_program() corrects
 * a wrong guess.
 */
static enum hrtimer_restart timer_fired(struct hrtimer *timer)
{
	struct host_thread *host = container_of(timer, struct host_thread, timer);
	const bool guess = READ_ONCE(host->sleeping) && host->interval;
	const u64 next = guess ? host->early + host->interval : LIMPET_NEVER;

	if (guess)
		hrtimer_set_expires(timer, clock_of(host, next));
	/* Stored before `sleeping` is read. host_sleep() is the other side. */
	smp_store_mb(host->cpu->host.programmed, next);
	if (READ_ONCE(host->sleeping))
		wake_up_process(host->task);
	return guess ? HRTIMER_RESTART : HRTIMER_NORESTART;
}

/* The host threads on a CPU, by the id of their system. The share timers on the CPU read this. */
struct cpu_hosts {
	struct host_thread *by_id[LIMPET_SYSTEMS_MAX];
};
static DEFINE_PER_CPU(struct cpu_hosts, cpu_hosts);

/*
 * Returns the run time of all host threads on the CPU, in ns. Sets *share to the largest share that one of their systems
 * reserves for Linux, per mille.
 */
static u64 share_measure(unsigned int cpu, u32 *share)
{
	const struct cpu_hosts *hosts = per_cpu_ptr(&cpu_hosts, cpu);
	u64 ran = 0;

	*share = 0;
	for (u32 id = 0; id < LIMPET_SYSTEMS_MAX; id++) {
		const struct host_thread *host = READ_ONCE(hosts->by_id[id]);
		const struct task_struct *task = host ? READ_ONCE(host->task) : NULL;

		if (!task)
			continue;
		ran += READ_ONCE(task->se.sum_exec_runtime);
		*share = max(*share, host->system->linux_share);
	}
	return ran;
}

/*
 * The windows of all host threads on a CPU end at the same time. So they sleep at the same time, and Linux gets the CPU
 * for that long.
 */
static void share_start(struct host_thread *host)
{
	const u64 end = (div_u64(ktime_get_ns(), SHARE_WINDOW_NS) + 1) * SHARE_WINDOW_NS;
	u32 share;

	host->share_own = host->task->se.sum_exec_runtime;
	host->share_runtime = share_measure(host->linux_cpu, &share);
	host->share_owed = 0;
	if (share)
		hrtimer_start(&host->share_timer, ns_to_ktime(end), HRTIMER_MODE_ABS_PINNED_HARD);
}

/*
 * Runs once in each window. The time that the host threads on this CPU ran beyond their part is
 * owed to Linux, and Linux gets it now. This does not clear the debt. The debt shrinks in the next
 * window by the time that the threads did not run. The timer's interrupt has put the CPU into state
 * `host`, so the thread parks again, and the kernel sees the request. The timer stops if the thread
 * slept for a whole window. host_sleep() starts it again.
 */
static enum hrtimer_restart share_due(struct hrtimer *timer)
{
	struct host_thread *host = container_of(timer, struct host_thread, share_timer);
	const u64 own = READ_ONCE(host->task->se.sum_exec_runtime);
	u64 windows = hrtimer_forward_now(timer, ns_to_ktime(SHARE_WINDOW_NS));
	u32 share;
	u64 runtime = share_measure(host->linux_cpu, &share);
	s64 most = windows * (SHARE_WINDOW_NS / 1000 * (1000 - share));
	s64 ran = runtime - host->share_runtime;

	if (own == host->share_own && READ_ONCE(host->sleeping))
		return HRTIMER_NORESTART;
	host->share_owed = clamp_t(s64, host->share_owed + ran - most, 0, SHARE_OWED_MOST);
	host->share_own = own;
	host->share_runtime = runtime;
	if (host->share_owed)
		hal_or(&host->cpu->inbox.requests, HOST_SHARE);
	return HRTIMER_RESTART;
}

/* Returns the host thread of the system that is the current task, or NULL. */
static struct host_thread *host_current(struct system *system)
{
	for (u32 n = 0; n < system->cpus; n++)
		if (system->host[n].task == current)
			return &system->host[n];
	return NULL;
}

/* Returns whether the current task is a host thread of any system. Called with system_lock, by a pinned thread. */
static bool is_host(unsigned int cpu)
{
	const struct cpu_hosts *hosts = per_cpu_ptr(&cpu_hosts, cpu);

	for (u32 id = 0; id < LIMPET_SYSTEMS_MAX; id++) {
		const struct host_thread *host = hosts->by_id[id];

		if (host && host->task == current)
			return true;
	}
	return false;
}

static int enter_check(struct system *system, const struct limpet_ioc_enter *enter)
{
	struct host_thread *host;

	if (enter->cpu >= system->cpus || enter->park_ip >= TASK_SIZE_MAX ||
	    enter->resume_ip >= TASK_SIZE_MAX)
		return -EINVAL;
	host = &system->host[enter->cpu];
	if (current->nr_cpus_allowed != 1 || !cpumask_test_cpu(host->linux_cpu, current->cpus_ptr))
		return -EXDEV; /* not pinned to the CPU */
	if (host->task || is_host(host->linux_cpu))
		return -EBUSY;
	return system->state == LIMPET_STATE_LOADED ? 0 : -ESHUTDOWN;
}

static void timers_start(struct host_thread *host)
{
	hrtimer_setup(&host->timer, timer_fired, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
	hrtimer_setup(&host->share_timer, share_due, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
	share_start(host);
}

/*
 * Page-table isolation, which is in force only if components are trusted: the process's user level gets the kernel half
 * of its kernel, so that system calls of host threads can enter Limpet, and interrupts of components can leave it. No
 * other process is concerned. Top-level entries are not freed with a page table.
 */
static void isolation_end(struct mm_struct *mm)
{
	pgd_t *user = pgd_user(mm->pgd);

	if (user != mm->pgd)
		memcpy(user + KERNEL_PGD_BOUNDARY, mm->pgd + KERNEL_PGD_BOUNDARY,
		       KERNEL_PGD_PTRS * sizeof(pgd_t));
}

static void host_adopt(struct host_thread *host, const struct limpet_ioc_enter *enter)
{
	get_task_struct(current);
	host->mm = current->mm;
	host->park_ip = enter->park_ip;
	host->resume_ip = enter->resume_ip;
	preempt_notifier_init(&host->notifier, &notifier_ops);
	WRITE_ONCE(host->task, current);
	WRITE_ONCE(per_cpu_ptr(&cpu_hosts, host->linux_cpu)->by_id[host->system->id], host);
	timers_start(host);
	preempt_notifier_register(&host->notifier);
	preempt_disable();
	isolation_end(current->mm);
	translations_flush(); /* the replaced top-level entries may be cached */
	host->armed = true;
	host_take_entry(host);
	hook_arm();
	preempt_enable();
}

long host_enter(struct system *system, const struct limpet_ioc_enter *enter)
{
	int error;

	mutex_lock(&system_lock);
	error = enter_check(system, enter);
	if (!error) {
		host_adopt(&system->host[enter->cpu], enter);
		if (++system->entered == system->cpus)
			system->state = LIMPET_STATE_RUNNING;
	}
	mutex_unlock(&system_lock);
	return error;
}

/* Returns whether the thread cannot call its notifier any more. */
static bool task_gone(struct task_struct *task)
{
	return READ_ONCE(task->__state) == TASK_DEAD && !smp_load_acquire(&task->on_cpu);
}

void host_leave(struct host_thread *host)
{
	struct task_struct *task = host->task;

	if (!task)
		return;
	if (task == current) {
		preempt_disable();
		hook_disarm();
		host->armed = false;
		preempt_enable();
	} else {
		/*
		 * the process is ending, or the thread is leaving in host_service(): both have
		 * started
		 */
		while (READ_ONCE(host->task) && !task_gone(task))
			msleep(1);
		if (!READ_ONCE(host->task))
			return;
	}
	preempt_notifier_unregister(&host->notifier);
	hrtimer_cancel(&host->timer);
	hrtimer_cancel(&host->share_timer);
	WRITE_ONCE(host->task, NULL);
	WRITE_ONCE(per_cpu_ptr(&cpu_hosts, host->linux_cpu)->by_id[host->system->id], NULL);
	synchronize_rcu(); /* host_kick_cpu on another CPU and share_measure() are done with it */
	put_task_struct(task);
	wake_up_all(&host->system->gone);
}

/*
 * Programs the timer for `deadline`, or cancels it. The timer may be queued for a guess. If this thread was moved off
 * its CPU, timer_fired() may be making that guess now, so hrtimer_cancel() waits for it.
 */
static void timer_program(struct host_thread *host, u64 deadline)
{
	struct host_requests *requests = &host->cpu->host;

	if (deadline == requests->programmed)
		return;
	hrtimer_cancel(&host->timer);
	requests->programmed = deadline;
	if (deadline != LIMPET_NEVER)
		hrtimer_start(&host->timer, clock_of(host, deadline), HRTIMER_MODE_ABS_PINNED_HARD);
}

static bool event_waiting(const struct host_thread *host)
{
	return READ_ONCE(host->cpu->inbox.requests) || hal_time() >= host->cpu->host.deadline;
}

/* Records the last wake-up's latency: from the time for which the timer was programmed to the scheduler's decision. */
static void gravity_update(struct host_thread *host)
{
	struct cpu *cpu = host->cpu;

	if (cpu->decided > host->early)
		gravity_learn(&host->gravity, cpu->decided - host->early, SPARED_WAKES, cpu->early);
	cpu->decided = 0;
}

/*
 * Takes two equal steps from one sleep's end to the next for a period. A system that is never woken early gets no
 * guess, because a guess makes the timer's interrupt longer.
 */
static void interval_learn(struct host_thread *host, u64 early)
{
	const u64 step = early - host->early;

	if (!step) /* an event arrived in between */
		return;
	host->interval = step == host->step && host->cpu->early ? step : 0;
	host->step = step;
	host->early = early;
}

/*
 * Sleeps until the deadline, an event or a signal. The state is set before the timer, because the
 * timer can fire immediately, before the thread sleeps.
 */
static void host_sleep(struct host_thread *host)
{
	const u64 deadline = host->cpu->host.deadline;

	gravity_update(host);
	interval_learn(host,
		       deadline == LIMPET_NEVER ? LIMPET_NEVER : deadline - host->gravity.value);
	WRITE_ONCE(host->sleeping, true);
	set_current_state(TASK_INTERRUPTIBLE);
	timer_program(host, host->early);
	if (!event_waiting(host) && !signal_pending(current)) {
		host->idles++;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	WRITE_ONCE(host->sleeping, false);
	if (unlikely(!hrtimer_is_queued(&host->share_timer)))
		share_start(host);
}

/*
 * Gives Linux its share: sleeps for the owed time. Events do not end the sleep. Signals do not end
 * it either, because they could then take the whole share, except a signal that kills. The sleep
 * does not count as load.
 */
static void share_give(struct host_thread *host)
{
	ktime_t share = ns_to_ktime(READ_ONCE(host->share_owed));

	host->shares++;
	set_current_state(TASK_KILLABLE | TASK_NOLOAD);
	schedule_hrtimeout(&share, HRTIMER_MODE_REL);
}

/* Bit n of `channels`: channel first + n. */
static void channels_wake(struct host_thread *host, u32 first, u64 channels)
{
	const u32 cpu = host - host->system->host;

	for (; channels; channels &= channels - 1)
		host_channel_wake(host->system->channels, cpu, first + __ffs64(channels));
}

static void channels_serve(struct host_thread *host)
{
	const u32 cpu = host - host->system->host;

	for (u32 i = 0; i < countof(host->serve); i++)
		for (u64 left = hal_exchange(&host->serve[i], 0); left; left &= left - 1)
			host_channel_serve(host->system->channels, cpu, i * 64 + __ffs64(left));
}

/*
 * Moves the thread back to its CPU. A CPU accepts no thread while it goes offline, which Linux
 * starts even if cpu_leaving() then refuses it.
 */
static int host_return(struct host_thread *host)
{
	for (int tries = 0; !is_pinned(host, raw_smp_processor_id()); tries++) {
		if (!set_cpus_allowed_ptr(current, cpumask_of(host->linux_cpu)))
			continue;
		if (tries == RETURN_TRIES)
			return -EXDEV;
		if (msleep_interruptible(1))
			return -EINTR;
	}
	return 0;
}

/* Arms the hook again after the thread was moved off its CPU, or has lost the hook. */
static int host_rearm(struct host_thread *host)
{
	int error = host_return(host);

	if (error)
		return error;
	preempt_disable();
	if (may_arm(host, smp_processor_id())) {
		host_take_entry(host);
		hook_arm();
	} else {
		error = -EXDEV;
	}
	preempt_enable();
	return error;
}

static int host_ended(struct host_thread *host, struct system *system)
{
	system_end(system, LIMPET_END_NO_THREAD);
	host_leave(host);
	return 1;
}

/* Prints whole lines. An incomplete line waits for its end while the buffer has space. */
static void print_take(struct host_requests *requests, bool all)
{
	u32 length = requests->print_length, whole = length;

	while (!all && whole && requests->print[whole - 1] != '\n')
		whole--;
	if (!whole && length == HOST_PRINT_MAX)
		whole = length;
	if (whole)
		system_print(requests->print, whole);
	memmove(requests->print, requests->print + whole, length - whole);
	requests->print_length = length - whole;
}

/* Serves all requests except HOST_IDLE and HOST_TIMER, which are frequent. */
static void serve_rare(struct host_thread *host, struct host_requests *requests, u32 pending)
{
	struct system *system = host->system;

	for (u32 i = 0; pending & HOST_NOTIFY && i < countof(requests->notify); i++) {
		channels_wake(host, i * 64, requests->notify[i]);
		requests->notify[i] = 0;
	}
	if (pending & HOST_KICK) {
		for (u32 n = 0; n < system->cpus; n++)
			if (requests->kick >> n & 1)
				host_kick_cpu(system, n);
		requests->kick = 0;
	}
	if (pending & HOST_SERVE)
		channels_serve(host);
	if (pending & HOST_GUEST)
		guests_news(host);
	if (pending & HOST_PRINT)
		print_take(requests, false);
	if (pending & HOST_SHARE)
		share_give(host);
}

int host_service(struct system *system, bool rearm)
{
	struct host_thread *host = host_current(system);
	struct host_requests *requests;
	int error = rearm && host ? host_rearm(host) : 0;
	u32 pending;

	if (!host)
		return -ESRCH;
	if (unlikely(error))
		return error;
	requests = &host->cpu->host;
	pending = requests->pending;
	if (unlikely(pending & ~(HOST_IDLE | HOST_TIMER))) {
		if (pending & HOST_END || system->end_reason) {
			print_take(requests, true);
			return host_ended(host, system);
		}
		serve_rare(host, requests, pending);
	}
	requests->pending = 0;
	if (pending & HOST_IDLE)
		host_sleep(host);
	else
		timer_program(host, requests->deadline);
	return signal_pending(current) ? -EINTR : 0;
}
