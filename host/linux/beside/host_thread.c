// SPDX-License-Identifier: GPL-2.0
/*
 * The host thread: a pinned real-time thread of a Linux process. Components run inside of its system call
 * LIMPET_IOC_LEND, and all that the kernel needs of Linux is done there.
 */
#include <linux/context_tracking.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/timekeeping.h>
#include <linux/vtime.h>
#include <asm/invpcid.h>

#include <host/linux/compat.h>
#include <host/linux/channel/channel.h>
#include <host/linux/beside/work.h>
#include <host/linux/guest/guest.h>
#include <host/linux/parts.h>

#define RETURN_TRIES 5000 /* attempts of 1 ms to move a thread back to its CPU */

/*
 * Returns whether the thread is pinned. Linux unpins it when its CPU starts to go offline, even if
 * that fails.
 */
static bool is_pinned(const struct host_thread *host, unsigned int cpu)
{
	return cpu == host->linux_cpu && current->nr_cpus_allowed == 1;
}

static void lost_work(struct work_struct *work)
{
	struct system *system = container_of(work, struct system, lost);

	system_end(system, LIMPET_END_HOST);
	wake_up_all(&system->waiters);
}

void host_prepare(struct system *system)
{
	INIT_WORK(&system->lost, lost_work);
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

/* Systems use the same process-context ids, so the other system's translations are flushed. */
void host_take_entry(const struct host_thread *host)
{
	struct entry_cpu *entry = host->entry;

	if (likely(entry->cpu == host->cpu))
		return;
	entry->stack = host->stack;
	WRITE_ONCE(entry->cpu, host->cpu);
	translations_flush();
}

/* Reads both clocks as close together as possible. The difference is limited, so that the sum does not overflow. */
ktime_t host_clock(const struct system *system, u64 stamp)
{
	const u64 limit = KTIME_MAX / 2;
	const ktime_t now = ktime_get();
	const u64 ticks = hal_time(), left = stamp > ticks ? min(stamp - ticks, limit) : 0;

	return ktime_add_ns(now,
			    min(mul_u64_u64_shr(left, system->ns_per_tick_shift32, 32), limit));
}

/*
 * Wakes the sleeping thread. If its sleeps are periodic, the timer stays queued for the guessed end of the next one.
 * So the clock event device is programmed once a period, by the interrupt that this runs in. timer_program() corrects
 * a wrong guess. There is one guess for a sleep, because others would follow each other without a pause while Linux does
 * not run the thread.
 */
static enum hrtimer_restart timer_fired(struct hrtimer *timer)
{
	struct host_thread *host = container_of(timer, struct host_thread, timer);
	const u64 guessed = host->early + host->interval;
	const bool guess = READ_ONCE(host->sleeping) && host->interval && guessed > hal_time();
	const u64 next = guess ? guessed : LIMPET_NEVER;

	if (guess)
		hrtimer_set_expires(timer, host_clock(host->system, next));
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
 * Returns the run time of all host threads on the CPU, in ns. Sets *share to the largest share that one of their
 * systems reserves for Linux, per mille.
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
 * Runs once in each window. The time that the host threads on this CPU ran beyond their part is owed to Linux, and
 * Linux gets it now. This does not clear the debt. The debt shrinks in the next window by the time that the threads did
 * not run. Linux counts run time at ticks and switches, so a window can seem up to a tick longer than it was. Therefore
 * a larger debt, also one from a pause of the machine, is paid over several windows. In each, Linux gets at most a
 * quarter more than its share of one window, so that components make no long pause.
 *
 * The timer's interrupt has put the CPU into state `host`, so the kernel sees the request when the thread enters
 * components again. The timer stops if the thread slept for a whole window. host_sleep() starts it again.
 */
static enum hrtimer_restart share_due(struct hrtimer *timer)
{
	struct host_thread *host = container_of(timer, struct host_thread, share_timer);
	const u64 own = READ_ONCE(host->task->se.sum_exec_runtime);
	u64 windows = hrtimer_forward_now(timer, ns_to_ktime(SHARE_WINDOW_NS));
	u32 share;
	u64 runtime = share_measure(host->linux_cpu, &share);
	s64 max = windows * (SHARE_WINDOW_NS / 1000 * (1000 - share));
	s64 ran = runtime - host->share_runtime;

	if (own == host->share_own && READ_ONCE(host->sleeping))
		return HRTIMER_NORESTART;
	host->share_owed = clamp_t(s64, host->share_owed + ran - max, 0, SHARE_OWED_MAX);
	host->share_own = own;
	host->share_runtime = runtime;
	WRITE_ONCE(host->share_pause, min_t(u64, host->share_owed, SHARE_WINDOW_NS / 800 * share));
	if (host->share_pause)
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

/* Does the same for all systems. Called in an RCU read-side critical section. */
static struct host_thread *host_any(void)
{
	struct host_thread *host = NULL;

	for (u32 id = 0; id < LIMPET_SYSTEMS_MAX && !host; id++) {
		struct system *system = READ_ONCE(systems[id]);

		host = system ? host_current(system) : NULL;
	}
	return host;
}

bool host_is_current(void)
{
	bool is_host;

	rcu_read_lock();
	is_host = host_any();
	rcu_read_unlock();
	return is_host;
}

void host_thread_ends(void)
{
	struct host_thread *host;

	rcu_read_lock();
	host = host_any();
	if (unlikely(host)) {
		WRITE_ONCE(host->lost, true);
		schedule_work(&host->system->lost);
	}
	rcu_read_unlock();
}

static int enter_check(struct system *system, const struct limpet_ioc_enter *enter)
{
	struct host_thread *host;

	if (enter->cpu >= system->cpus)
		return -EINVAL;
	host = &system->host[enter->cpu];
	if (current->nr_cpus_allowed != 1 || !cpumask_test_cpu(host->linux_cpu, current->cpus_ptr))
		return -EXDEV; /* not pinned to the CPU */
	if (host->task || host_is_current() || guest_current())
		return -EBUSY;
	return system->state == LIMPET_STATE_LOADED ? 0 : -ESHUTDOWN;
}

static void timers_start(struct host_thread *host)
{
	hrtimer_setup(&host->timer, timer_fired, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
	hrtimer_setup(&host->share_timer, share_due, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
	share_start(host);
}

static void host_adopt(struct host_thread *host)
{
	host->held = get_task_struct(current);
	WRITE_ONCE(host->task, current);
	WRITE_ONCE(per_cpu_ptr(&cpu_hosts, host->linux_cpu)->by_id[host->system->id], host);
	timers_start(host);
}

long host_enter(struct system *system, const struct limpet_ioc_enter *enter)
{
	int error;

	mutex_lock(&system_lock);
	error = enter_check(system, enter);
	if (!error) {
		host_adopt(&system->host[enter->cpu]);
		if (++system->entered == system->cpus)
			system->state = LIMPET_STATE_RUNNING;
	}
	mutex_unlock(&system_lock);
	return error;
}

void host_leave(struct host_thread *host)
{
	if (!host->task)
		return;
	hrtimer_cancel(&host->timer);
	hrtimer_cancel(&host->share_timer);
	WRITE_ONCE(host->task, NULL);
	WRITE_ONCE(per_cpu_ptr(&cpu_hosts, host->linux_cpu)->by_id[host->system->id], NULL);
	wake_up_all(&host->system->waiters);
}

/* Waits once for all threads, because an RCU grace period takes milliseconds. */
void host_forget(struct system *system)
{
	for (u32 n = 0; n < system->cpus; n++)
		host_leave(&system->host[n]);
	synchronize_rcu(); /* host_kick_cpu() on another CPU and share_measure() are done with them */
	for (u32 n = 0; n < system->cpus; n++)
		if (system->host[n].held)
			put_task_struct(system->host[n].held);
	cancel_work_sync(&system->lost);
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
		hrtimer_start(&host->timer, host_clock(host->system, deadline),
			      HRTIMER_MODE_ABS_PINNED_HARD);
}

static bool event_waiting(const struct host_thread *host)
{
	return READ_ONCE(host->cpu->inbox.requests) || hal_time() >= host->cpu->host.deadline;
}

/*
 * Records the last wake-up's latency: from the time for which the timer was programmed to the scheduler's decision,
 * without the time of early_wait(). The part after early_wait() is also recorded alone.
 */
static void gravity_update(struct host_thread *host)
{
	struct cpu *cpu = host->cpu;
	const u64 rest = cpu->decided - host->entered;

	if (cpu->decided > host->early) {
		gravity_learn(&host->gravity, host->latency + rest, cpu->early);
		gravity_learn(&host->rest, rest, cpu->early);
	}
	cpu->decided = 0;
}

/*
 * Waits after an early wake-up until the kernel has only the time to decide. Interrupts are enabled, so Linux's
 * handlers run during the wait and not at the deadline. The wait ends if the thread has something else to do.
 */
static void early_wait(struct host_thread *host)
{
	const u64 end = host->cpu->host.deadline - host->rest.value;
	u64 now = hal_time();

	host->latency = now > host->early ? now - host->early : 0;
	while (end - now < host->cpu->early && !READ_ONCE(host->cpu->inbox.requests) &&
	       !need_resched() && !signal_pending(current)) {
		hal_relax();
		now = hal_time();
	}
	host->entered = now;
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
	early_wait(host);
	if (unlikely(!hrtimer_is_queued(&host->share_timer)))
		share_start(host);
}

/*
 * Gives Linux its share of this window: sleeps. Events do not end the sleep. Signals do not end
 * it either, because they could then take the whole share, except a signal that kills. The sleep
 * does not count as load.
 */
static void share_give(struct host_thread *host)
{
	ktime_t share = ns_to_ktime(READ_ONCE(host->share_pause));

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
	if (pending & HOST_GUEST)
		guests_updated(host);
	if (pending & HOST_PRINT)
		print_take(requests, false);
	if (pending & HOST_SHARE)
		share_give(host);
}

/* Carries out the kernel's requests. Returns 1 if the system has ended. */
static int requests_serve(struct host_thread *host)
{
	struct host_requests *requests = &host->cpu->host;
	const u32 pending = requests->pending;

	if (unlikely(pending & ~(HOST_IDLE | HOST_TIMER))) {
		if (pending & HOST_END) {
			print_take(requests, true);
			system_end(host->system, LIMPET_END_NO_THREAD);
			host_leave(host);
			return 1;
		}
		serve_rare(host, requests, pending);
	}
	requests->pending = 0;
	if (pending & HOST_IDLE)
		host_sleep(host);
	else
		timer_program(host, requests->deadline);
	return 0;
}

/* Linux's handlers need RCU, which does not watch a CPU in that state. */
void entry_host_interrupted(void)
{
	context_tracking_guest_exit();
}

/*
 * Does what Linux wants to do before this thread continues, and disables interrupts. Returns 0; -EINTR, with interrupts
 * enabled, if Linux does it at the return to user level, as the delivery of signals; or -EXDEV.
 */
static int work_do(struct host_thread *host)
{
	enum work work;
	int error;

	local_irq_disable();
	while (unlikely((work = work_check()) || !is_pinned(host, smp_processor_id()))) {
		local_irq_enable();
		if (work == WORK_RETURN)
			return -EINTR;
		schedule();
		error = host_return(host);
		if (error)
			return error;
		local_irq_disable();
	}
	return 0;
}

/*
 * Runs components until the kernel has requests or Linux a signal. Returns 0 or an error of work_do(). The components'
 * time counts as that of a virtual machine. RCU does not see that an interrupt of a component is one of user level.
 */
static int components_run(struct host_thread *host)
{
	bool interrupted;

	do {
		const int error = work_do(host);

		if (unlikely(error))
			return error;
		host_take_entry(host);
		vtime_account_guest_enter();
		context_tracking_guest_enter();
		interrupted = entry_host_run(host->entry);
		if (interrupted) {
			local_irq_disable();
			rcu_note_context_switch(false);
		} else {
			context_tracking_guest_exit();
		}
		vtime_account_guest_exit();
		local_irq_enable();
	} while (interrupted && likely(!current->ptrace));
	return 0;
}

int host_lend(struct system *system)
{
	struct host_thread *host = host_current(system);
	int result;

	if (!host || host->lost)
		return -ESRCH;
	do /* a tracer sees the thread between two calls */
		result = requests_serve(host) ?: components_run(host);
	while (!result && likely(!current->ptrace));
	return result ?: -EINTR;
}
