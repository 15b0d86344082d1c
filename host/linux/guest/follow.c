// SPDX-License-Identifier: GPL-2.0
/*
 * The end of a system call that Linux has carried out for a guest: changed registers are put back, and the executive
 * gets the result. Linux calls this before it delivers signals and before it restarts the call: later, signal frames and
 * the restarted call would have the changed registers.
 */
#include <linux/ptrace.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <asm/unistd.h>

#include <host/linux/compat.h>
#include <host/linux/guest/guest.h>

/* Linux's own codes for calls that signals interrupt, include/linux/errno.h. */
#define RESTART_FIRST 512
#define RESTART_LAST 516

static void own_put(const struct hal_regs *own, struct pt_regs *regs)
{
	regs->di = own->di;
	regs->si = own->si;
	regs->dx = own->dx;
	regs->r10 = own->r10;
	regs->r8 = own->r8;
	regs->r9 = own->r9;
}

/* Whether the registers still are those of the call, and not those of another program or from a signal frame. */
static bool is_same_context(word number, const struct pt_regs *regs)
{
	if ((number == __NR_execve || number == __NR_execveat) && !regs->ax)
		return false;
	return (long)regs->orig_ax != -1;
}

static void call_undo(struct guest *guest, struct pt_regs *regs)
{
	const word number = guest->regs.ax;

	guest_own(guest, &guest->regs);
	guest->changed = false;
	if (!is_same_context(number, regs))
		return;
	own_put(&guest->regs, regs);
	regs->orig_ax = guest->regs.ax;
}

void guest_own_child(const struct host_guest *parent, struct task_struct *child)
{
	struct hal_regs own = parent->guest.regs;

	if (!parent->guest.changed)
		return;
	guest_own(&parent->guest, &own);
	own_put(&own, task_pt_regs(child));
}

static void report_result(struct host_guest *g, struct pt_regs *regs)
{
	const long result = (long)regs->ax;
	const bool interrupted = result <= -RESTART_FIRST && result >= -RESTART_LAST;
	const word words[6] = { g->guest.regs.ax, interrupted ? -EINTR : result, interrupted };

	if (guest_talk(g, LIMPET_GUEST_RESULT, words) != OUTCOME_ANSWERED)
		return;
	if (g->guest.operation == LIMPET_GUEST_SERVE)
		regs->ax = g->guest.value;
	else if (g->guest.operation == LIMPET_GUEST_KILL)
		send_sig(SIGKILL, current, 1);
}

/* When a tracer stops the thread before a call, Linux runs callbacks, too. */
static bool is_too_early(const struct pt_regs *regs)
{
	return (long)regs->ax == -ENOSYS && current->ptrace &&
	       current->ptrace_message == PTRACE_EVENTMSG_SYSCALL_ENTRY;
}

void guest_follow_run(struct callback_head *work)
{
	struct host_guest *g = container_of(work, struct host_guest, follow_work);
	struct pt_regs *regs = task_pt_regs(current);
	bool useful = g->member && !(current->flags & PF_EXITING);

	if (useful && is_too_early(regs)) {
		g->follow_later = true; /* the reference stays */
		return;
	}
	g->following = false;
	if (useful && g->guest.changed)
		call_undo(&g->guest, regs);
	if (useful && g->result_wanted)
		report_result(g, regs);
	guest_put(g);
}

/* The thread is back from the tracer's stop. In the scheduler. */
void guest_follow_again(struct host_guest *g)
{
	g->follow_later = false;
	if (!task_work_add(current, &g->follow_work, TWA_RESUME))
		return;
	g->following = false;
	guest_put(g);
}

void entry_guest_follow(struct guest *guest)
{
	struct host_guest *g = host_guest_of(guest);

	g->result_wanted = guest->operation == LIMPET_GUEST_PASS_RESULT;
	if (g->following)
		return;
	kref_get(&g->refs);
	g->following = !task_work_add(current, &g->follow_work, TWA_RESUME);
	if (!g->following)
		guest_put(g);
}
