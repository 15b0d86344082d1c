// SPDX-License-Identifier: GPL-2.0
/*
 * An event of a guest in process context. entry_guest_run() runs the executive. Between its parts
 * this code does what Linux or the executive needs.
 */
#include <linux/jiffies.h>
#include <asm/ptrace.h>

#include <host/linux/guest/guest.h>
#include <host/linux/beside/work.h>
#include <kernel/guest_event.h>

/*
 * Time for which a signal, a tracer or the freezer waits for an executive that neither answers nor
 * waits by GUEST_WAIT. Then the event continues without the guest.
 */
#define PATIENCE msecs_to_jiffies(100)
/* Additional time that it waits for an answer that counts. */
#define PATIENCE_COMMITTED (2 * HZ)
#define LOOK_EVERY                                                                                 \
	msecs_to_jiffies(20) /* for signals that do not wake a thread of state TASK_KILLABLE */

/*
 * Wakes the first guest that waits for a handler thread of the executive, if one is idle. When that guest runs, it wakes
 * the next one, so the cost does not depend on the number of guests. On the executive's CPU.
 */
static void waiter_wake(struct executive *executive)
{
	struct host_guest *guest;
	unsigned long flags;

	local_irq_save(flags);
	guest = guest_queued(&executive->waiting);
	if (guest && executive_first(executive)) {
		list_remove(&guest->queue);
		wake_up_process(guest->task);
	}
	local_irq_restore(flags);
}

void guest_idle_wake(struct irq_work *work)
{
	struct host_thread *host = container_of(work, struct host_thread, guest_idle);

	for (unsigned int i = 0; i < LIMPET_EXECUTIVES_MAX; i++)
		waiter_wake(&host->cpu->executive[i]);
	host_kick_cpu(host->system, host->cpu->number);
}

/* Called in the entry code, where no thread of Linux can be woken. Events END wait for the host thread. */
void entry_guest_idle(struct guest *guest)
{
	const struct host_guest *host = host_guest_of(guest);

	hal_or(&guest->cpu->inbox.requests, HOST_GUEST);
	irq_work_queue(&host->system->host[host->cpu].guest_idle);
}

/* --- the use of the system's memory, and the way to the executive's CPU */

bool guest_talk_begin(struct host_guest *guest)
{
	guest->talking = true;
	atomic_inc(&guest->system->guests_talking);
	smp_mb__after_atomic(); /* guests_end() sets the other one first, and then looks at this */
	return !READ_ONCE(guest->system->guests_ended);
}

void guest_talk_end(struct host_guest *guest)
{
	guest->talking = false;
	smp_mb__before_atomic();
	atomic_dec(&guest->system->guests_talking);
	if (unlikely(READ_ONCE(guest->system->guests_ended)))
		wake_up_all(&guest->system->waiters);
}

void guest_block_begin(struct host_guest *guest)
{
	guest_talk_end(guest);
	guest->talking = true;
}

void guest_block_end(struct host_guest *guest)
{
	if (!guest_talk_begin(guest))
		guest->core.thread = NULL;
}

int guest_move_home(struct host_guest *guest)
{
	if (cpumask_equal(current->cpus_ptr, cpumask_of(guest->home)))
		return 0;
	cpumask_copy(to_cpumask(guest->allowed), current->cpus_ptr);
	return set_cpus_allowed_ptr(current, cpumask_of(guest->home));
}

/* If none of these CPUs exists any more, the thread stays on its CPU. */
void guest_release_home(struct host_guest *guest)
{
	if (!cpumask_empty(to_cpumask(guest->allowed)) &&
	    cpumask_equal(current->cpus_ptr, cpumask_of(guest->home)))
		set_cpus_allowed_ptr(current, to_cpumask(guest->allowed));
}

void guest_go_home(const struct host_guest *guest)
{
	for (;;) {
		local_irq_disable();
		if (smp_processor_id() == guest->home)
			return;
		local_irq_enable();
		/* A CPU of a running system does not go offline, so this fails only for a moment. */
		if (guest_move_home((struct host_guest *)guest))
			schedule_timeout_killable(1);
	}
}

/* --- parts of an event */

static bool leaves(const struct host_guest *guest)
{
	return fatal_signal_pending(current) || READ_ONCE(guest->system->guests_ended);
}

/* Continues the handler thread, if there still is one, without this guest. Interrupts enabled. */
static void leave_behind(struct host_guest *guest)
{
	if (!READ_ONCE(guest->core.thread))
		return;
	guest_go_home(guest);
	if (guest->core.thread)
		guest_orphan(&guest->core);
	local_irq_enable();
	host_kick_cpu(guest->system, guest->cpu);
}

bool guest_patience_over(struct host_guest *guest, bool held)
{
	if (!signal_pending(current)) {
		guest->patience = 0;
		return false;
	}
	if (!guest->patience)
		guest->patience = (jiffies + PATIENCE) | 1;
	return time_after(jiffies, guest->patience - (held ? PATIENCE / 2 : 0));
}

/*
 * Returns whether the answer to the event counts. If it were dropped, and the event came again, the
 * executive would repeat what it has done, or had Linux do.
 */
static bool is_committed(const struct host_guest *guest)
{
	return guest->core.committed == guest->core.calls + guest->core.others ||
	       (guest->kind == LIMPET_GUEST_RESULT && guest_replaced(&guest->core));
}

static enum guest_outcome outcome_killed(void)
{
	pr_warn("limpet: killed %s (%d): its executive did not answer an event for which it had committed itself\n",
		current->comm, current->pid);
	send_sig(SIGKILL, current, 1);
	return OUTCOME_DYING;
}

/* Returns whether the event can continue; otherwise sets *outcome. */
static bool may_continue(struct host_guest *guest, enum guest_outcome *outcome)
{
	if (need_resched())
		schedule();
	if (unlikely(leaves(guest)))
		*outcome = fatal_signal_pending(current) ? OUTCOME_DYING : OUTCOME_OPEN;
	else if (likely(!guest_patience_over(guest, false)))
		return true;
	else if (!is_committed(guest))
		*outcome = OUTCOME_AGAIN;
	else if (time_after(jiffies, guest->patience + PATIENCE_COMMITTED))
		*outcome = outcome_killed();
	else
		return true;
	leave_behind(guest);
	return false;
}

void guest_request_copy(struct host_guest *guest)
{
	guest->request.call = guest->core.request;
	for (unsigned int i = 0; i < ARRAY_SIZE(guest->request.argument); i++)
		guest->request.argument[i] = hal_regs_word(&guest->core.thread->regs, i);
}

/*
 * Does what is necessary before another thread can take the handler thread away. Interrupts are
 * disabled.
 */
static void stop_note(struct host_guest *guest, enum entry_stop stop)
{
	if (stop == ENTRY_TASK)
		guest_request_copy(guest);
	else if (stop == ENTRY_MOVE)
		guest_move(&guest->core);
}

void guest_request_serve(struct host_guest *guest)
{
	const long status = guest_carry_out(guest, &guest->request);

	if (!READ_ONCE(guest->core.thread))
		return; /* the system can have ended meanwhile */
	guest_go_home(guest);
	if (guest->core.thread)
		guest_carried_out(&guest->core, status);
	local_irq_enable();
	if (guest->state == LIMPET_GUEST_MOVED)
		host_kick_cpu(guest->system, guest->cpu);
}

/* While events are queued, the kernel's and the entry code's idle handler threads are reported. */
static void thread_await(struct host_guest *guest)
{
	struct executive *executive = guest->core.executive;
	const bool signal = signal_pending(current);
	bool waits;

	guest->state = LIMPET_GUEST_QUEUED;
	guest_go_home(guest);
	executive->queued++;
	list_append(&executive->waiting, &guest->queue);
	set_current_state(signal ? TASK_KILLABLE : TASK_INTERRUPTIBLE);
	waits = !executive_first(executive) && !leaves(guest);
	local_irq_enable();
	if (waits)
		schedule_timeout(signal ? LOOK_EVERY : PATIENCE);
	__set_current_state(TASK_RUNNING);
	guest_go_home(guest);
	executive->queued--;
	list_remove(&guest->queue);
	waiter_wake(executive);
	local_irq_enable();
}

/* Waits while a thread of the system handles the event. */
static enum guest_outcome moved_wait(struct host_guest *host)
{
	struct guest *guest = &host->core;
	enum guest_outcome outcome;

	host->state = LIMPET_GUEST_MOVED;
	host_kick_cpu(host->system, host->cpu);
	for (;;) {
		set_current_state(TASK_KILLABLE);
		if (READ_ONCE(guest->thread) && !READ_ONCE(guest->wanted) && !leaves(host))
			schedule_timeout(LOOK_EVERY);
		__set_current_state(TASK_RUNNING);
		if (!smp_load_acquire(&guest->thread))
			return guest->answered ? OUTCOME_ANSWERED : OUTCOME_LOST;
		if (!may_continue(host, &outcome))
			return outcome;
		guest_go_home(host);
		if (guest->thread && guest->wanted) {
			guest_request_copy(host);
			local_irq_enable();
			guest_request_serve(host);
		} else {
			local_irq_enable();
		}
	}
}

/*
 * Runs a handler thread until it stops: an idle one, which starts with the event (`start`), or the event's own one.
 * Returns ENTRY_NEW if there is no such thread, if its component was stopped, or if the system has ended, which also
 * removes the hook. Interrupts are enabled when it returns.
 */
static __always_inline enum entry_stop thread_run(struct host_guest *guest, bool start, word event,
						  const word words[6])
{
	enum entry_stop stop = ENTRY_NEW;

	if (unlikely(READ_ONCE(guest->system->guests_ended)))
		return stop; /* guest_talk_begin() can have returned false, so the CPU can be offline */
	guest_go_home(guest);
	if (likely(!READ_ONCE(guest->system->guests_ended) &&
		   (start ? !!guest_take(&guest->core)
			  : guest->core.thread && thread_is_valid(guest->core.thread)))) {
		if (start)
			guest_start(&guest->core, event, words);
		guest->state = LIMPET_GUEST_INSIDE;
		stop = guest_run(guest);
		if (stop == ENTRY_INTERRUPTED)
			return stop;
		stop_note(guest, stop);
	}
	local_irq_enable();
	return stop;
}

/*
 * Returns whether a signal does not wait for a handler thread any longer. Calls and faults come
 * again by themselves.
 */
static bool signal_first(struct host_guest *guest, word event)
{
	const unsigned int kind = LIMPET_GUEST_KIND(event);

	if (kind == LIMPET_GUEST_CALL || kind == LIMPET_GUEST_FAULT)
		return signal_pending(current);
	return guest_patience_over(guest, false);
}

/*
 * Waits for an idle handler thread, and runs it with the event. Returns ENTRY_NEW with *outcome if it should not wait.
 */
static enum entry_stop thread_first(struct host_guest *guest, word event, const word words[6],
				    enum guest_outcome *outcome)
{
	enum entry_stop stop;

	while ((stop = thread_run(guest, true, event, words)) == ENTRY_NEW) {
		*outcome = fatal_signal_pending(current)		       ? OUTCOME_DYING
			   : leaves(guest) || guest->flags & LIMPET_GUEST_OPEN ? OUTCOME_OPEN
									       : OUTCOME_UNASKED;
		if (leaves(guest) || guest->flags & LIMPET_GUEST_OPEN || signal_first(guest, event))
			break;
		thread_await(guest);
	}
	return stop;
}

static enum guest_outcome talk(struct host_guest *guest, word event, const word words[6],
			       enum entry_stop stop)
{
	enum guest_outcome outcome;

	if (stop == ENTRY_NEW && (stop = thread_first(guest, event, words, &outcome)) == ENTRY_NEW)
		return outcome;
	for (;;) {
		if (stop == ENTRY_ANSWERED)
			return OUTCOME_ANSWERED;
		if (stop == ENTRY_MOVE)
			return moved_wait(guest);
		if (stop == ENTRY_TASK)
			guest_request_serve(guest);
		else if (stop == ENTRY_INTERRUPTED)
			guest->core.parked++;
		if (!may_continue(guest, &outcome))
			return outcome;
		stop = thread_run(guest, false, event, words);
		if (stop == ENTRY_NEW) {
			leave_behind(guest);
			return OUTCOME_LOST;
		}
	}
}

static const char *const event_name[LIMPET_GUEST_EVENTS] = {
	"", "CALL", "RESULT", "FAULT", "BEGIN", "EXEC", "END", "BREAK", "SIGNAL", "EXCEPTION",
};

/*
 * Counts the crashes of an executive in the same event. After the first one the restarted executive gets the event
 * again. After the second one the guest gets SIGKILL, because it could use up the executive's restarts, which all
 * guests need. Two events are the same if their level, kind, first word and instruction are the same. Signals that are
 * delivered between them do not matter.
 */
static enum guest_outcome crash_judge(struct host_guest *guest, word event, word first,
				      enum guest_outcome outcome)
{
	const struct guest_crash now = { event | (word)guest->core.level << 48, first,
					 guest->core.regs.ip, guest->crash.count };
	const bool same = !memcmp(&now, &guest->crash, sizeof(now));

	if (guest->core.blamed) {
		guest->core.blamed = false;
		guest->crash = now;
		guest->crash.count = same ? now.count + 1 : 1;
	} else if (same && (outcome == OUTCOME_ANSWERED || outcome == OUTCOME_OPEN)) {
		guest->crash.count = 0;
	}
	if (guest->crash.count < 2 || fatal_signal_pending(current))
		return outcome;
	pr_warn("limpet: killed %s (%d): its event %s (%#lx) has crashed its executive twice\n",
		current->comm, current->pid, event_name[LIMPET_GUEST_KIND(event)], first);
	send_sig(SIGKILL, current, 1);
	return OUTCOME_DYING;
}

/* guest_talk_begin() was called. */
static enum guest_outcome talk_whole(struct host_guest *guest, word event, const word words[6],
				     enum entry_stop stop)
{
	enum guest_outcome outcome;

	guest->patience = 0;
	guest->kind = LIMPET_GUEST_KIND(event);
	outcome = talk(guest, event, words, stop);
	guest->state = LIMPET_GUEST_FREE;
	if (unlikely(guest->core.expected)) /* this was a fault in the middle of that call */
		this_cpu_write(entry_cpu.inside, INSIDE_RESULT);
	guest_talk_end(guest);
	if (unlikely(guest->core.blamed || guest->crash.count))
		outcome = crash_judge(guest, event, words[0], outcome);
	return outcome;
}

/*
 * Returns whether the executive may change the registers. The guest returns from fork or execve, so
 * rcx and r11 are unused; those of EXCEPTION are written with them.
 */
static bool registers_free(const struct host_guest *guest, enum limpet_guest_event kind)
{
	return kind == LIMPET_GUEST_EXCEPTION ||
	       ((kind == LIMPET_GUEST_EXEC ||
		 (kind == LIMPET_GUEST_BEGIN && guest->origin >= LIMPET_GUEST_BY_FORK)) &&
		user_64bit_mode(task_pt_regs(current)));
}

enum guest_outcome guest_talk(struct host_guest *guest, enum limpet_guest_event kind,
			      const word words[6])
{
	const word event = LIMPET_GUEST_EVENT(kind, guest->core.id);
	const bool may_change = registers_free(guest, kind);
	enum guest_outcome outcome;

	if (kind == LIMPET_GUEST_EXCEPTION)
		guest_own_restore(&guest->core);
	if (may_change)
		guest_level_start(&guest->core);
	do {
		if (!guest_talk_begin(guest) ||
		    !(READ_ONCE(guest->core.executive->kinds) & LIMPET_GUEST_WANTS(kind))) {
			guest_talk_end(guest);
			return OUTCOME_OPEN;
		}
		guest->core.hal.fixed = !may_change;
		outcome = talk_whole(guest, event, words, ENTRY_NEW);
		guest->core.hal.fixed = false;
		if (outcome == OUTCOME_LOST && may_change)
			guest_level_restore(&guest->core);
	} while (outcome == OUTCOME_LOST &&
		 !(kind == LIMPET_GUEST_RESULT && guest_replaced(&guest->core)));
	if (cpu_feature_enabled(X86_FEATURE_VMX))
		guest_kvm_restart(guest);
	return outcome;
}

/* --- system calls */

#define ENDING_SIGNALS                                                                             \
	(sigmask(SIGHUP) | sigmask(SIGINT) | sigmask(SIGQUIT) | sigmask(SIGILL) |                  \
	 sigmask(SIGABRT) | sigmask(SIGBUS) | sigmask(SIGFPE) | sigmask(SIGSEGV) |                 \
	 sigmask(SIGPIPE) | sigmask(SIGALRM) | sigmask(SIGTERM) | sigmask(SIGSYS))

/*
 * Blocks the signal first, because a blocked signal that is forced on a thread has its default
 * action, whichever action the process has set.
 */
void guest_kill(word signal)
{
	struct sighand_struct *hand = rcu_dereference_protected(current->sighand, true);

	if (!signal || signal > SIGSYS || !(ENDING_SIGNALS & sigmask(signal))) {
		send_sig(SIGKILL, current, 1);
		return;
	}
	spin_lock_irq(&hand->siglock);
	sigaddset(&current->blocked, (int)signal);
	spin_unlock_irq(&hand->siglock);
	force_sig((int)signal);
}

/* Registers that Linux and the kernel name alike, except the flags. */
#define EACH_REGISTER(DO)                                                                          \
	DO(r15)                                                                                    \
	DO(r14)                                                                                    \
	DO(r13)                                                                                    \
	DO(r12)                                                                                    \
	DO(bp) DO(bx) DO(r11) DO(r10) DO(r9) DO(r8) DO(ax) DO(cx) DO(dx) DO(si) DO(di) DO(ip) DO(sp)
#define COPY(name) to->name = from->name;

void guest_registers_put(const struct guest *guest)
{
	const struct hal_regs *from = &guest->regs;
	struct pt_regs *to = (struct pt_regs *)guest->hal.bottom;

	EACH_REGISTER(COPY)
}

static void registers_write(const struct guest *guest, word ax, word call)
{
	struct pt_regs *to = (struct pt_regs *)guest->hal.bottom;

	guest_registers_put(guest);
	to->flags = to->r11 = guest->regs.flags;
	to->cx = guest->regs.ip;
	to->ax = ax;
	to->orig_ax = call;
	to->cs = __USER_CS;
	to->ss = __USER_DS;
}

void guest_registers_read(struct guest *guest)
{
	const struct pt_regs *from = (const struct pt_regs *)guest->hal.bottom;
	struct hal_regs *to = &guest->regs;

	EACH_REGISTER(COPY)
	to->flags = from->flags;
}

void entry_guest_registers(struct guest *guest)
{
	const bool over = guest->resulting;

	registers_write(guest, over ? guest->result : (word)-ENOSYS,
			over ? (word)-1 : guest->regs.ax);
}

void guest_registers_write(const struct guest *guest)
{
	registers_write(guest, guest->regs.ax, -1);
}

/* Marks the guest as in the kernel, as Linux sees it. Interrupts are disabled. */
void entry_guest_park(struct guest *guest)
{
	entry_guest_registers(guest);
	guest_talk_begin(host_guest_of(guest));
	lockdep_hardirqs_off(_THIS_IP_); /* user_exit_irqoff() asserts that */
	user_exit_irqoff();
}

static word result_handle(struct host_guest *guest, enum entry_stop stop, bool interrupted);

/*
 * Gives the result to the executives that have passed the call and want it. Returns as
 * result_handle().
 */
static word result_report(struct host_guest *guest, word result, bool interrupted)
{
	guest->core.result = result;
	guest->core.resulting = true;
	guest_talk_begin(guest);
	return result_handle(guest, ENTRY_NEW, interrupted);
}

/* Makes the guest execute its SYSCALL again. */
static word call_repeat(struct guest *guest)
{
	guest_call_restore(guest);
	guest->regs.ip -= SYSCALL_SIZE;
	return ENTRY_TO_GUEST;
}

/* Makes the guest repeat the system call, after Linux has delivered pending signals. */
static word call_again(struct host_guest *host)
{
	struct guest *guest = &host->core;

	guest_own_restore(guest);
	if (guest->stacked && guest_result_next(guest))
		return result_report(host, (word)-EINTR, true);
	return call_repeat(guest);
}

/*
 * Makes Linux carry the call out as this executive got it, without further events for that
 * executive.
 */
static word call_pass(struct guest *guest)
{
	guest_level_restore(guest);
	guest->operation = LIMPET_GUEST_PASS;
	return ENTRY_TO_HOST;
}

/* A call that Linux does not know, used only for its exit to user level, where the guest dies. */
static word call_none(struct guest *guest)
{
	guest_own_restore(guest);
	guest->operation = LIMPET_GUEST_PASS;
	guest->result_wanted = 0;
	guest->regs.ax = -1;
	return ENTRY_TO_HOST;
}

static word call_served(struct host_guest *host, word value)
{
	struct guest *guest = &host->core;

	if (guest->stacked) {
		guest_call_served(guest, value);
		if (guest_result_next(guest))
			return result_report(host, value, false);
	}
	guest->changed = false;
	guest->regs.ax = value;
	return ENTRY_TO_GUEST;
}

static word call_answered(struct host_guest *host)
{
	struct guest *guest = &host->core;

	switch (guest->operation) {
	case LIMPET_GUEST_PASS:
	case LIMPET_GUEST_PASS_RESULT:
		return ENTRY_TO_HOST;
	case LIMPET_GUEST_KILL:
		guest_kill(guest->value);
		return call_none(guest);
	case LIMPET_GUEST_RELEASE:
		guest_duty_add(host, current, DUTY_RELEASE);
		return call_pass(guest);
	case LIMPET_GUEST_AGAIN:
		return call_again(host);
	}
	return call_served(host,
			   guest->operation == LIMPET_GUEST_SERVE ? guest->value : (word)-ENOSYS);
}

/* Returns whether another executive gets the call that this one has answered. Then guest_talk_begin() was called. */
static bool call_continues(struct host_guest *host)
{
	struct guest *guest = &host->core;
	unsigned int level = 0;

	if (likely(!guest->stacked))
		return false;
	if (guest->operation == LIMPET_GUEST_RELEASE) {
		guest_release(host);
		call_pass(guest);
	}
	if (guest->operation != LIMPET_GUEST_PASS && guest->operation != LIMPET_GUEST_PASS_RESULT)
		return false;
	if (guest_talk_begin(host))
		level = guest_call_passed(guest);
	if (level)
		guest_call_next(guest, level);
	else
		guest_talk_end(host);
	return level;
}

static word call_handle(struct host_guest *host, enum entry_stop stop)
{
	struct guest *guest = &host->core;
	const struct hal_regs *regs = &guest->regs;

	for (;; stop = ENTRY_NEW) {
		const word words[6] = { (word)(int)regs->ax, regs->di, regs->si, regs->dx,
					regs->r10,	     regs->r8 };

		switch (talk_whole(host, guest->event, words, stop)) {
		case OUTCOME_ANSWERED:
			if (!call_continues(host))
				return call_answered(host);
			continue;
		case OUTCOME_AGAIN:
		case OUTCOME_UNASKED:
			return call_again(host);
		case OUTCOME_OPEN:
			call_pass(guest);
			if (!call_continues(host))
				return ENTRY_TO_HOST;
			continue;
		case OUTCOME_DYING:
			return call_none(guest);
		case OUTCOME_LOST:
			guest_level_restore(guest);
			guest_talk_begin(host);
		}
	}
}

/*
 * Handles RESULT at one executive, until it is over. Returns the operation of its answer, or the
 * default without an answer.
 */
static word result_talk(struct host_guest *host, enum entry_stop stop, bool interrupted)
{
	const word event = LIMPET_GUEST_EVENT(LIMPET_GUEST_RESULT, host->core.id);
	struct guest *guest = &host->core;

	for (;; stop = ENTRY_NEW) {
		const word words[6] = { (word)(int)guest->regs.ax, guest->result, interrupted };
		const enum guest_outcome outcome = talk_whole(host, event, words, stop);

		if (outcome == OUTCOME_ANSWERED)
			return guest->operation;
		guest_own_restore(guest);
		if (guest_replaced(guest))
			return LIMPET_GUEST_AGAIN;
		if (outcome != OUTCOME_LOST)
			return LIMPET_GUEST_PASS;
		guest_talk_begin(host);
	}
}

/*
 * Handles the end of a call that the guest's second SYSCALL or an executive has reported.
 * `interrupted`: the call is made again, unless an executive replaces the result. Returns how the
 * guest continues.
 */
static word result_handle(struct host_guest *host, enum entry_stop stop, bool interrupted)
{
	struct guest *guest = &host->core;
	word operation;

	for (;; stop = ENTRY_NEW) {
		operation = result_talk(host, stop, interrupted);
		if (operation == LIMPET_GUEST_KILL)
			guest_kill(guest->value);
		if (operation == LIMPET_GUEST_SERVE || operation == LIMPET_GUEST_AGAIN) {
			interrupted = operation == LIMPET_GUEST_AGAIN;
			guest->result = interrupted ? (word)-EINTR : guest->value;
		}
		if (!guest->stacked || !guest_result_next(guest))
			break;
		guest_talk_begin(host);
	}
	guest->resulting = false;
	if (interrupted)
		return call_repeat(guest);
	if (operation == LIMPET_GUEST_PASS_RESULT && guest->changed)
		return ENTRY_TO_HOST;
	guest->changed = false;
	guest->regs.ax = guest->result;
	return ENTRY_TO_GUEST;
}

word entry_guest_task(struct guest *guest, enum entry_stop stop)
{
	struct host_guest *host = host_guest_of(guest);
	word way;

	if (stop != ENTRY_INTERRUPTED) {
		entry_guest_park(guest);
		stop_note(host, stop);
		local_irq_enable();
	}
	way = guest->resulting ? result_handle(host, stop, false) : call_handle(host, stop);
	local_irq_disable();
	if (way != ENTRY_TO_GUEST)
		entry_guest_pass(this_cpu_ptr(&entry_cpu), guest);
	else if (work_check()) /* Linux does the work when this interrupt returns to user level */
		interrupt_cpu(smp_processor_id());
	user_enter_irqoff();
	return way;
}

/* --- updates from the kernel */

/* Wakes the first guest in the CPU's list of updates. Returns false if the list is empty. */
static bool update_take(struct cpu *cpu)
{
	struct host_guest *guest;
	struct list *item;

	local_irq_disable();
	item = list_first(&cpu->updates);
	if (item) {
		guest = host_guest_of(list_object(item, struct guest, update));
		list_remove(item);
		if (guest->task)
			wake_up_process(guest->task);
		else if (guest->queue.next)
			guest_end_continue(guest);
	}
	local_irq_enable();
	return item;
}

void guests_updated(struct host_thread *host)
{
	while (update_take(host->cpu))
		;
	for (unsigned int i = 0; i < LIMPET_EXECUTIVES_MAX; i++) {
		guest_ends_flush(&host->cpu->executive[i]);
		waiter_wake(&host->cpu->executive[i]);
	}
}
