// SPDX-License-Identifier: GPL-2.0
/*
 * The events SIGNAL and EXCEPTION.
 *
 * Linux's tracepoint signal_deliver is in get_signal(), under the lock of the process's signals, for each signal that has
 * left its queue. Linux runs task_work before get_signal() takes the next one and before the thread is at user level. So
 * the probe keeps what it sees, and the callback reports it when the frame is built and the handler has not started.
 *
 * The tracepoint signal_generate is where an exception's signal comes into the queue, in the thread itself. get_signal()
 * runs task_work before it looks there. So the callback asks the executive first, and can take the signal away again.
 */
#include <linux/ptrace.h>

#include <host/linux/guest/guest.h>
#include <host/linux/guest/tracepoint.h>

#define EXCEPTIONS                                                                                 \
	(sigmask(SIGILL) | sigmask(SIGTRAP) | sigmask(SIGBUS) | sigmask(SIGFPE) | sigmask(SIGSEGV))
#define VECTOR_OF 4 /* INTO: as after int3, the guest continues behind the instruction */

/* --- the probes are there while a system has a guest whose executive wants these events */

static DEFINE_MUTEX(watch_lock);
static unsigned int watching; /* systems */

/* Returns whether an executive of the guest's chain wants one of these events. */
static bool executive_wants(const struct host_guest *guest, word kinds)
{
	word wanted = 0;

	if (READ_ONCE(guest->system->guests_ended))
		return false;
	for (unsigned int level = 0; level < guest->core.levels; level++)
		if (guest_level_of(&guest->core, guest->core.chain[level]) >= 0)
			wanted |= READ_ONCE(guest->core.chain[level]->kinds);
	return wanted & kinds;
}

int guest_signals_watch(struct host_guest *guest)
{
	int error = 0;

	if (READ_ONCE(guest->system->signals_watched))
		return 0;
	mutex_lock(&watch_lock);
	if (guest_talk_begin(guest) && !guest->system->signals_watched &&
	    executive_wants(guest, LIMPET_GUEST_WANTS(LIMPET_GUEST_SIGNAL) |
					   LIMPET_GUEST_WANTS(LIMPET_GUEST_EXCEPTION) |
					   LIMPET_GUEST_WANTS(LIMPET_GUEST_END))) {
		error = watching ? 0 : guest_tracepoints_init(true);
		guest->system->signals_watched = !error;
		watching += !error;
	}
	guest_talk_end(guest);
	mutex_unlock(&watch_lock);
	return error;
}

void guest_signals_unwatch(struct system *system)
{
	mutex_lock(&watch_lock);
	if (system->signals_watched && !--watching)
		guest_tracepoints_exit(true);
	system->signals_watched = false;
	mutex_unlock(&watch_lock);
}

/* --- what tracepoint.c calls. guests_end() waits for it, so the executive's memory is there. */

static bool has_no_info(const struct kernel_siginfo *info)
{
	return info == SEND_SIG_NOINFO || info == SEND_SIG_PRIV;
}

static struct guest_signal signal_of(int number, const struct kernel_siginfo *info)
{
	struct guest_signal signal = { .number = (u32)number };

	BUILD_BUG_ON(offsetof(struct kernel_siginfo, _sifields) + sizeof(signal.fields) >
		     sizeof(*info));
	if (has_no_info(info))
		return signal;
	signal.code = (u32)info->si_code | (word)(u32)info->si_errno << 32;
	memcpy(signal.fields, &info->_sifields, sizeof(signal.fields));
	return signal;
}

static void signal_keep(struct host_guest *guest, struct guest_signal signal,
			enum limpet_guest_fate fate)
{
	if (guest->signals == ARRAY_SIZE(guest->signal)) {
		guest->missed++;
		return;
	}
	signal.fate = (u8)fate;
	signal.missed = guest->missed;
	guest->missed = 0;
	guest->signal[(guest->signal_first + guest->signals++) % ARRAY_SIZE(guest->signal)] =
		signal;
	guest_duty_add(guest, current, DUTY_SIGNAL);
}

void guest_signal_delivered(int number, const struct kernel_siginfo *info,
			    const struct k_sigaction *action)
{
	struct host_guest *guest = guest_current();
	const bool standard = action->sa.sa_handler == SIG_DFL;

	if (!guest || !guest->member || action->sa.sa_handler == SIG_IGN ||
	    (standard && sig_kernel_ignore(number)))
		return;
	if (standard && !sig_kernel_stop(number)) {
		guest->last = signal_of(number, info);
		return;
	}
	if (executive_wants(guest, LIMPET_GUEST_WANTS(LIMPET_GUEST_SIGNAL)))
		signal_keep(guest, signal_of(number, info),
			    standard ? LIMPET_GUEST_STOPPED : LIMPET_GUEST_HANDLED);
}

/*
 * Returns whether it is an exception of the guest's program, and not a signal that a program or
 * perf sends.
 */
static bool is_exception(int number, const struct kernel_siginfo *info)
{
	return number < SIGRTMIN && EXCEPTIONS & sigmask(number) && !has_no_info(info) &&
	       info->si_code > 0 && (long)task_pt_regs(current)->orig_ax == -1 &&
	       !(number == SIGTRAP && (info->si_code == TRAP_PERF || current->ptrace));
}

void guest_signal_sent(int number, const struct kernel_siginfo *info, struct task_struct *to)
{
	struct host_guest *guest = to == current ? guest_current() : NULL;

	if (!guest || !guest->member || !is_exception(number, info) ||
	    !(guest->filter[LIMPET_GUEST_FILTER_FAULTS] >> number & 1) ||
	    !executive_wants(guest, LIMPET_GUEST_WANTS(LIMPET_GUEST_EXCEPTION)))
		return;
	guest->exception = signal_of(number, info);
	if (info->si_code == SI_KERNEL)
		guest->exception.fields[0] = 0;
	guest_duty_add(guest, current, DUTY_EXCEPTION);
}

/* --- SIGNAL */

/*
 * Reports a signal to each executive of the chain, in order. Returns false if no handler thread was free for one of them:
 * that one gets it when the thread has not run for a moment, or with the next signal.
 */
static bool signal_report(struct host_guest *guest, const word words[6])
{
	bool more = guest_level_first(&guest->core);

	while (more && guest->core.level < guest->signal_level)
		more = guest_level_next(&guest->core);
	for (; more; more = guest_level_next(&guest->core)) {
		enum guest_outcome outcome;

		guest_registers_read(&guest->core);
		outcome = guest_talk(guest, LIMPET_GUEST_SIGNAL, words);
		if (outcome == OUTCOME_UNASKED) {
			guest->later |= DUTY_SIGNAL;
			guest->signal_level = guest->core.level;
			guest_level_set(&guest->core, 0);
			return false;
		}
		if (outcome == OUTCOME_ANSWERED)
			guest_life_answered(guest);
	}
	guest->signal_level = 0;
	return true;
}

void guest_signals(struct host_guest *guest)
{
	guest_follow_finish(guest);
	while (guest->signals) {
		const struct guest_signal *signal = &guest->signal[guest->signal_first];
		word words[6] = { signal->number | (word)signal->fate << 8 |
					  (word)signal->missed << 32,
				  signal->code };

		memcpy(words + 2, signal->fields, sizeof(signal->fields));
		if (!signal_report(guest, words))
			return;
		guest->signal_first = (guest->signal_first + 1) % ARRAY_SIZE(guest->signal);
		guest->signals--;
	}
}

/* --- EXCEPTION */

/*
 * Takes the exception's signal from the queue again. The queue has no second one with that number.
 */
static void signal_drop(int number)
{
	struct sighand_struct *hand = rcu_dereference_protected(current->sighand, true);
	struct kernel_siginfo info;
	sigset_t others;

	sigfillset(&others);
	sigdelset(&others, number);
	spin_lock_irq(&hand->siglock);
	if (sigismember(&current->pending.signal, number))
		signal_dequeue(&others, &info);
	spin_unlock_irq(&hand->siglock);
}

/*
 * Handles an exception that the executive has not answered in time. The guest executes the
 * instruction once more, if that has the same effect.
 */
static void exception_again(int number, word vector)
{
	if (number != SIGTRAP && vector != VECTOR_OF)
		signal_drop(number);
}

static void exception_answered(struct host_guest *guest, int number)
{
	const word operation = guest->core.operation;

	if (operation == LIMPET_GUEST_SERVE || operation == LIMPET_GUEST_KILL)
		signal_drop(number);
	if (operation == LIMPET_GUEST_SERVE)
		guest_registers_put(&guest->core);
	guest_life_answered(guest);
}

/* Asks the executive of this level. Returns whether the next one is to be asked. */
static bool exception_ask(struct host_guest *guest, const word words[6])
{
	const int number = (int)words[0];
	enum guest_outcome outcome;

	if (!(guest->core.wants[guest->core.level][LIMPET_GUEST_FILTER_FAULTS] >> number & 1))
		return true;
	guest_registers_read(&guest->core);
	outcome = guest_talk(guest, LIMPET_GUEST_EXCEPTION, words);
	if (outcome == OUTCOME_ANSWERED)
		exception_answered(guest, number);
	else if (outcome == OUTCOME_AGAIN || outcome == OUTCOME_UNASKED)
		exception_again(number, words[3]);
	guest->core.changed = false;
	return outcome == OUTCOME_OPEN ||
	       (outcome == OUTCOME_ANSWERED && guest->core.operation != LIMPET_GUEST_SERVE &&
		guest->core.operation != LIMPET_GUEST_KILL);
}

void guest_exception(struct host_guest *guest)
{
	const struct guest_signal *signal = &guest->exception;
	const word words[6] = { signal->number, (word)(int)signal->code, signal->fields[0],
				current->thread.trap_nr, current->thread.error_code };

	if (!guest_follow_finish(guest))
		return;
	if (guest_level_first(&guest->core))
		while (exception_ask(guest, words) && guest_level_next(&guest->core))
			;
	guest_level_set(&guest->core, 0);
}
