// SPDX-License-Identifier: GPL-2.0
/*
 * The end of a system call that Linux has carried out for a guest: changed registers are put back, and the executive
 * gets the result.
 *
 * Mostly the entry code sees the end: Linux has been told that the guest continues at its SYSCALL instruction, and the
 * guest executes it once more (INSIDE_RESULT in <entry/entry.h>). Where that would show, because signals, tracers or
 * filters look at the guest's registers, a callback puts them right. Linux runs it before it builds a signal frame and
 * before it restarts the call: later, both would have the wrong registers.
 */
#include <linux/ptrace.h>
#include <asm/unistd.h>

#include <host/linux/guest/guest.h>

/* Linux's own codes for calls that signals interrupt, include/linux/errno.h. */
#define RESTART_FIRST 512
#define RESTART_LAST 516

/* Distance of Linux's return address before the guest's own. */
static word bytes_before(const struct host_guest *guest)
{
	return guest->core.expected ? SYSCALL_SIZE : 0;
}

/* The return address of a call is in both registers. */
static void continue_after(struct pt_regs *regs, word bytes)
{
	regs->ip += bytes;
	regs->cx += bytes;
}

static void arguments_put(const struct hal_regs *own, struct pt_regs *regs)
{
	regs->di = own->di;
	regs->si = own->si;
	regs->dx = own->dx;
	regs->r10 = own->r10;
	regs->r8 = own->r8;
	regs->r9 = own->r9;
	if ((long)regs->orig_ax != -1)
		regs->orig_ax = own->ax;
}

void guest_own_child(const struct host_guest *parent, struct task_struct *child)
{
	struct pt_regs *regs = task_pt_regs(child);

	continue_after(regs, bytes_before(parent));
	if (parent->core.changed)
		arguments_put(&parent->core.own, regs);
}

/*
 * Reports RESULT to the executive of this level, in process context. `again`: the guest makes the
 * call again, unless an executive replaces the result. Returns whether that is so now.
 */
static bool report_result(struct host_guest *guest, struct pt_regs *regs, bool again)
{
	const long result = (long)regs->ax;
	const bool interrupted = again || ((long)regs->orig_ax != -1 && result <= -RESTART_FIRST &&
					   result >= -RESTART_LAST);
	const word words[6] = { (word)(int)guest->core.regs.ax, interrupted ? -EINTR : result,
				interrupted };

	if (guest_talk(guest, LIMPET_GUEST_RESULT, words) != OUTCOME_ANSWERED)
		return again || guest_replaced(&guest->core);
	if (guest->core.operation == LIMPET_GUEST_KILL)
		guest_kill(guest->core.value);
	if (guest->core.operation != LIMPET_GUEST_SERVE)
		return again || guest->core.operation == LIMPET_GUEST_AGAIN;
	regs->ax = guest->core.value;
	return false;
}

/*
 * Handles the end of the call. The registers still are those of the call, not those of another
 * program or of a signal frame.
 */
static void call_end(struct host_guest *guest, struct pt_regs *regs)
{
	bool again = false;

	if (guest->core.changed) {
		guest_own_arguments(&guest->core);
		arguments_put(&guest->core.regs, regs);
	}
	while (guest_result_next(&guest->core))
		again = report_result(guest, regs, again);
	if (!again)
		return;
	guest_call_restore(&guest->core);
	regs->ax = guest->core.regs.ax; /* not a code by which Linux restarts a call */
	regs->ip -= SYSCALL_SIZE;
}

/* Linux calls back in the middle of these: where a tracer stops the thread, or where io_uring works. */
static bool calls_back(u32 number)
{
	const bool process = number == __NR_clone3 || number == __NR_exit_group ||
			     (number >= __NR_clone && number <= __NR_exit); /* fork, vfork */

	return (process && current->ptrace) || number == __NR_execve || number == __NR_execveat ||
	       number == __NR_io_uring_enter || number == __NR_io_uring_register;
}

/*
 * Returns whether Linux still carries the call out: the register has ENOSYS until it has the
 * result. The flag distinguishes a call whose result is ENOSYS. It is set for `callback`, and Linux
 * clears it on the way to user level, usually before it calls back. A signal or a tracer can be
 * earlier.
 */
static bool is_too_early(const struct host_guest *guest, const struct pt_regs *regs)
{
	return (long)regs->ax == -ENOSYS && (long)regs->orig_ax != -1 &&
	       (guest->early & 1 || calls_back((u32)regs->orig_ax)) &&
	       (guest->core.expected || test_thread_flag(TIF_NOTIFY_RESUME));
}

bool guest_follow_finish(struct host_guest *guest)
{
	struct pt_regs *regs = task_pt_regs(current);
	const word before = bytes_before(guest);

	if (!guest->core.expected && !guest->callback)
		return true;
	if (is_too_early(guest, regs))
		return false;
	guest_expect_end(guest);
	if (regs->ip != guest->core.regs.ip - before || regs->sp != guest->core.regs.sp) {
		guest->core.changed = false; /* rt_sigreturn or a tracer has set them */
		return true;
	}
	continue_after(regs, before);
	call_end(guest, regs);
	return true;
}

void guest_follow_run(struct callback_head *work)
{
	struct host_guest *guest = container_of(work, struct host_guest, follow_work);

	guest->following = false;
	if (!guest->member) {
		guest_put(guest); /* guest_leave() has taken this reference */
		return;
	}
	if (!(current->flags & PF_EXITING) && !guest_follow_finish(guest))
		guest->follow_later = true;
}

static void follow_add(struct host_guest *guest, enum task_work_notify_mode notify)
{
	if (!guest->following)
		guest->following = !task_work_add(current, &guest->follow_work, TWA_NONE);
	if (notify == TWA_RESUME)
		set_thread_flag(TIF_NOTIFY_RESUME);
}

/*
 * Handles a callback that came too early. The thread has not run since, so Linux does not call it
 * back at the same place again. In the scheduler. A thread that is still traced was preempted before
 * it stops, as on PREEMPT_RT, and comes again for the same stop.
 */
void guest_follow_again(struct host_guest *guest)
{
	follow_add(guest, guest->callback ? TWA_RESUME : TWA_NONE);
	if (task_is_traced(current))
		return;
	guest->follow_later = false;
	guest->early >>= 1;
}

#define TRACED (SYSCALL_WORK_SYSCALL_TRACE | SYSCALL_WORK_SYSCALL_EMU)
#define IOCTL_TYPE_KVM 0xae /* KVMIO of <linux/kvm.h> */

/*
 * On Intel, a call that runs a virtual machine or sets MSRs of one returns with Linux's own entry points, until Linux
 * switches threads. Linux would take the result in the guest's register for the number of a call.
 */
static bool may_lose_entry(const struct guest *guest)
{
	return test_thread_flag(TIF_USER_RETURN_NOTIFY) ||
	       ((u32)guest->regs.ax == __NR_ioctl && (u8)(guest->regs.si >> 8) == IOCTL_TYPE_KVM);
}

/* Returns how often a tracer can stop the thread before Linux carries the call out: for each call, and for a filter. */
static int stops_first(void)
{
	const unsigned long work = READ_ONCE(current_thread_info()->syscall_work);

	return !!(work & TRACED) +
	       (work & SYSCALL_WORK_SECCOMP && ptrace_event_enabled(current, PTRACE_EVENT_SECCOMP));
}

/*
 * Returns whether a tracer or a filter looks at the guest's registers while Linux carries the call
 * out, or whether they are not the call's.
 */
static bool is_watched(const struct guest *guest)
{
	return current->ptrace || READ_ONCE(current_thread_info()->syscall_work) ||
	       guest->regs.flags & X86_EFLAGS_TF || may_lose_entry(guest) ||
	       (guest->changed &&
		(guest->own.ip != guest->regs.ip || guest->own.sp != guest->regs.sp));
}

bool entry_guest_expect(struct guest *guest)
{
	struct host_guest *host = host_guest_of(guest);

	host->callback = is_watched(guest);
	host->early = (u8)((1 << stops_first()) - 1);
	/* KASAN's part of task_work_add() uses RCU, which ignores a CPU that runs user level without a tick. */
	lockdep_hardirqs_off(_THIS_IP_);
	user_exit_irqoff();
	follow_add(host, host->callback ? TWA_RESUME : TWA_NONE);
	user_enter_irqoff();
	return !host->callback && host->following;
}
