// SPDX-License-Identifier: BSD-2-Clause
/*
 * Signals, as far as a program sends them to itself: they arrive when a thread makes a system call or
 * waits in one. What the processor says of an instruction is no signal, but a fault of the component.
 */
#include <runtime/memory.h>
#include <runtime/time.h>

#include <asm/sigcontext.h>
#include <asm/siginfo.h>
#include <asm/signal.h>
#include <asm/ucontext.h>
#include <asm/unistd.h>

#include "call.h"
#include "clock.h"
#include "signals.h"
#include "timer.h"

#define SIGNALS 64
#define QUEUE 64
#define BIT(signal) (1ul << ((signal)-1))
#define UNBLOCKABLE (BIT(SIGKILL) | BIT(SIGSTOP))
#define IGNORED_BY_DEFAULT (BIT(SIGCHLD) | BIT(SIGURG) | BIT(SIGWINCH) | BIT(SIGCONT))
#define SS_DISABLE 2 /* not in the headers of the ABI */
#define REAL_TIME 32 /* first signal of which several can be pending */
#define RED_ZONE 128

struct queued {
	uint8_t signal; /* 0: not in use */
	uint8_t target; /* id of the thread, 0: the program */
	uint64_t order;
	struct signal_info info;
};

/* What a handler finds on its stack, the return address first. */
struct signal_frame {
	word restorer;
	struct ucontext context;
	struct siginfo info;
};

static struct sigaction actions[SIGNALS + 1];
static struct queued queue[QUEUE];
static uint64_t queued_so_far;
static uint64_t program_pending;

static bool ignored(int signal)
{
	const __sighandler_t handler = actions[signal].sa_handler;

	return handler == SIG_IGN || (handler == SIG_DFL && BIT(signal) & IGNORED_BY_DEFAULT);
}

bool signal_wanted(const struct posix_thread *t)
{
	return (t->pending | program_pending) & (t->awaited | ~t->mask);
}

bool signal_open(const struct posix_thread *t, int signal)
{
	return BIT(signal) & (t->awaited | ~t->mask);
}

static struct queued *queue_free(void)
{
	for (unsigned int i = 0; i < QUEUE; i++)
		if (!queue[i].signal)
			return &queue[i];
	return NULL;
}

/* One thread that waits and would take a signal of the program looks for it. */
static void program_interrupt(int signal)
{
	for (unsigned int id = 0; id < LIMPET_THREADS_MAX; id++)
		if (posix_threads[id].waiting && signal_open(&posix_threads[id], signal)) {
			thread_interrupt(&posix_threads[id]);
			return;
		}
}

static bool signal_dropped(const struct posix_thread *t, int signal)
{
	const uint64_t pending = t ? t->pending : program_pending;
	const bool blocked = t ? t->mask & BIT(signal) : true;

	return (ignored(signal) && !blocked) || (signal < REAL_TIME && pending & BIT(signal));
}

long signal_post(struct posix_thread *t, int signal, const struct signal_info *info)
{
	struct queued *entry = queue_free();

	if (signal_dropped(t, signal))
		return 1;
	if (!entry)
		return -EAGAIN;
	*entry = (struct queued){ .signal = (uint8_t)signal,
				  .target = (uint8_t)(t ? posix_id(t) : 0),
				  .order = ++queued_so_far,
				  .info = *info };
	if (t) {
		t->pending |= BIT(signal);
		if (t->waiting && signal_open(t, signal))
			thread_interrupt(t);
	} else {
		program_pending |= BIT(signal);
		program_interrupt(signal);
	}
	return 0;
}

/* The oldest entry of a signal of `target`; `more`: whether it is not the only one. */
static struct queued *queue_find(int signal, unsigned int target, bool *more)
{
	struct queued *found = NULL;
	unsigned int count = 0;

	for (unsigned int i = 0; i < QUEUE; i++) {
		if (queue[i].signal != signal || queue[i].target != target)
			continue;
		count++;
		if (!found || queue[i].order < found->order)
			found = &queue[i];
	}
	*more = count > 1;
	return found;
}

void signals_forget(const struct posix_thread *t)
{
	for (unsigned int i = 0; i < QUEUE; i++)
		if (queue[i].target == posix_id(t))
			queue[i].signal = 0;
}

static void info_fill(struct siginfo *to, int signal, const struct signal_info *info)
{
	memset(to, 0, sizeof(*to));
	to->si_signo = signal;
	to->si_code = info->code;
	if (info->code == SI_TIMER) {
		to->si_tid = info->timer;
		to->si_overrun = timer_overrun_take(info->timer);
		to->si_ptr = (void *)info->value;
	} else {
		to->si_pid = (int)posix_pid();
		to->si_ptr = (void *)info->value;
	}
}

/* Takes the lowest pending signal of a set; 0: there is none. */
static int signal_take(struct posix_thread *t, uint64_t set, struct siginfo *info)
{
	const bool own = t->pending & set;
	const uint64_t found = (own ? t->pending : program_pending) & set;
	struct queued *entry;
	int signal;
	bool more;

	if (!found)
		return 0;
	signal = __builtin_ctzl(found) + 1;
	entry = queue_find(signal, own ? posix_id(t) : 0, &more);
	if (!more)
		*(own ? &t->pending : &program_pending) &= ~BIT(signal);
	info_fill(info, signal, &entry->info);
	entry->signal = 0;
	return signal;
}

/* --- handlers */

static void context_save(struct sigcontext *to, const struct posix_frame *from)
{
	*to = (struct sigcontext){
		.r8 = from->r8,
		.r9 = from->r9,
		.r10 = from->r10,
		.r11 = from->flags,
		.r12 = from->r12,
		.r13 = from->r13,
		.r14 = from->r14,
		.r15 = from->r15,
		.rdi = from->rdi,
		.rsi = from->rsi,
		.rbp = from->rbp,
		.rbx = from->rbx,
		.rdx = from->rdx,
		.rax = from->rax,
		.rcx = from->rip,
		.rsp = from->rsp,
		.rip = from->rip,
		.eflags = from->flags,
	};
}

static void context_load(struct posix_frame *to, const struct sigcontext *from)
{
	*to = (struct posix_frame){
		.r8 = from->r8,
		.r9 = from->r9,
		.r10 = from->r10,
		.r12 = from->r12,
		.r13 = from->r13,
		.r14 = from->r14,
		.r15 = from->r15,
		.rdi = from->rdi,
		.rsi = from->rsi,
		.rbp = from->rbp,
		.rbx = from->rbx,
		.rdx = from->rdx,
		.rax = from->rax,
		.rip = from->rip,
		.rsp = from->rsp,
		.flags = from->eflags,
	};
}

/* Where the handler's stack begins. */
static word stack_of(const struct posix_thread *t, const struct sigaction *action, word sp)
{
	const bool on_it = sp - t->alternate - 1 < t->alternate_size;

	if (action->sa_flags & SA_ONSTACK && t->alternate_size && !on_it)
		return t->alternate + t->alternate_size;
	return sp - RED_ZONE;
}

static void handler_enter(struct posix_thread *t, int signal, const struct siginfo *info)
{
	const struct sigaction *action = &actions[signal];
	struct posix_frame *frame = t->frame;
	word top = stack_of(t, action, frame->rsp);
	uint8_t *vectors = (uint8_t *)((top - sizeof(t->vectors)) & ~63ul);
	/* As after a call: 8 below a multiple of 16. */
	struct signal_frame *to = (void *)((((word)vectors - sizeof(*to)) & ~15ul) - 8);

	memcpy(vectors, t->vectors, sizeof(t->vectors));
	memset(to, 0, sizeof(*to));
	to->restorer = (word)action->sa_restorer;
	to->info = *info;
	context_save(&to->context.uc_mcontext, frame);
	to->context.uc_mcontext.fpstate = (void *)vectors;
	memcpy(&to->context.uc_sigmask, t->mask_restore ? &t->mask_after : &t->mask,
	       sizeof(t->mask));
	t->mask_restore = false;
	t->mask |= action->sa_mask | (action->sa_flags & SA_NODEFER ? 0 : BIT(signal));
	frame->rip = (word)action->sa_handler;
	frame->rsp = (word)to;
	frame->rdi = (word)signal;
	frame->rsi = (word)&to->info;
	frame->rdx = (word)&to->context;
	frame->rax = 0;
	if (action->sa_flags & SA_RESETHAND)
		actions[signal].sa_handler = SIG_DFL;
}

bool signals_attention(const struct posix_thread *t, word number)
{
	return posix_exiting || t->mask_restore ||
	       (t->frame->rax == (word)-ERESTART && number != __NR_rt_sigreturn) ||
	       (t->pending | program_pending) & ~t->mask || timers_due();
}

/* The call is made again, or was interrupted: before the first handler, or without one. */
static void restart(struct posix_frame *frame, word number, bool again)
{
	if (number == __NR_rt_sigreturn || frame->rax != (word)-ERESTART)
		return;
	frame->rax = again ? number : (word)-EINTR;
	if (again)
		frame->rip -= 2; /* the length of `syscall` */
}

void signals_deliver(struct posix_thread *t, word number)
{
	struct siginfo info;
	int signal;

	posix_lock();
	timers_fire(limpet_time());
	if (posix_exiting)
		thread_end(t, 0);
	while ((signal = signal_take(t, ~t->mask, &info))) {
		if (ignored(signal))
			continue;
		if (actions[signal].sa_handler == SIG_DFL) {
			posix_unlock();
			posix_exit(0, signal);
		}
		restart(t->frame, number, actions[signal].sa_flags & SA_RESTART);
		handler_enter(t, signal, &info);
	}
	restart(t->frame, number, true);
	if (t->mask_restore)
		t->mask = t->mask_after;
	t->mask_restore = false;
	posix_unlock();
}

long call_rt_sigreturn(void)
{
	struct posix_thread *t = posix_self();
	const struct ucontext *context = (const void *)t->frame->rsp;
	uint64_t mask;

	if (context->uc_mcontext.fpstate)
		memcpy(t->vectors, (const void *)context->uc_mcontext.fpstate, sizeof(t->vectors));
	memcpy(&mask, &context->uc_sigmask, sizeof(mask));
	posix_lock();
	t->mask = mask & ~UNBLOCKABLE;
	posix_unlock();
	context_load(t->frame, &context->uc_mcontext);
	return (long)t->frame->rax;
}

/* --- system calls */

long call_rt_sigaction(word signal, word new, word old, word size)
{
	if (!signal || signal > SIGNALS || size != sizeof(uint64_t) ||
	    (new &&BIT(signal) & UNBLOCKABLE))
		return -EINVAL;
	posix_lock();
	if (old)
		*(struct sigaction *)old = actions[signal];
	if (new)
		actions[signal] = *(const struct sigaction *)new;
	posix_unlock();
	return 0;
}

long call_rt_sigprocmask(word how, word new, word old, word size)
{
	struct posix_thread *t = posix_self();
	const uint64_t before = t->mask;
	uint64_t set;

	if (size != sizeof(uint64_t))
		return -EINVAL;
	if (new) {
		set = *(const uint64_t *)new;
		if (how == SIG_BLOCK)
			set |= before;
		else if (how == SIG_UNBLOCK)
			set = before & ~set;
		else if (how != SIG_SETMASK)
			return -EINVAL;
		t->mask = set & ~UNBLOCKABLE;
	}
	if (old)
		*(uint64_t *)old = before;
	return 0;
}

long call_rt_sigpending(word set, word size)
{
	struct posix_thread *t = posix_self();

	if (size > sizeof(uint64_t))
		return -EINVAL;
	memcpy((void *)set, &(uint64_t){ (t->pending | program_pending) & t->mask }, size);
	return 0;
}

long call_rt_sigtimedwait(word set, word to, word time, word size)
{
	struct posix_thread *t = posix_self();
	const struct timespec *wanted = (const struct timespec *)time;
	struct siginfo info;
	uint64_t deadline;
	long status = 0;
	int signal;

	if (size != sizeof(uint64_t) || (wanted && time_bad(wanted)))
		return -EINVAL;
	deadline = wanted ? clock_after(wanted) : LIMPET_NEVER;
	posix_lock();
	timers_fire(limpet_time());
	t->awaited = *(const uint64_t *)set & ~UNBLOCKABLE;
	while (!(signal = signal_take(t, t->awaited, &info)) && !status) {
		t->waiting = WAITS;
		status = thread_wait(t, deadline, 0);
		if (status == -EINTR && (t->pending | program_pending) & t->awaited)
			status = 0;
	}
	t->awaited = 0;
	posix_unlock();
	if (!signal)
		return status == -ETIMEDOUT ? -EAGAIN : status;
	if (to)
		*(struct siginfo *)to = info;
	return signal;
}

/* Until a handler was, or is to be, entered. */
static long wait_for_signal(struct posix_thread *t)
{
	t->waiting = WAITS;
	while (thread_wait(t, LIMPET_NEVER, 0) != -EINTR)
		t->waiting = WAITS;
	return -EINTR;
}

void mask_replace(struct posix_thread *t, uint64_t mask)
{
	posix_lock();
	t->mask_after = t->mask;
	t->mask_restore = true;
	t->mask = mask & ~UNBLOCKABLE;
	posix_unlock();
}

long call_rt_sigsuspend(word set, word size)
{
	struct posix_thread *t = posix_self();
	long status;

	if (size != sizeof(uint64_t))
		return -EINVAL;
	mask_replace(t, *(const uint64_t *)set);
	posix_lock();
	status = wait_for_signal(t);
	posix_unlock();
	return status;
}

long call_pause(void)
{
	long status;

	posix_lock();
	status = wait_for_signal(posix_self());
	posix_unlock();
	return status;
}

/* The structure's `flags` is an int, followed by the size. */
long call_sigaltstack(word new, word old)
{
	struct posix_thread *t = posix_self();

	if (old)
		*(stack_t *)old = (stack_t){ .ss_sp = (void *)t->alternate,
					     .ss_flags = t->alternate_size ? 0 : SS_DISABLE,
					     .ss_size = t->alternate_size };
	if (new) {
		const stack_t *stack = (const stack_t *)new;
		const bool off = stack->ss_flags & SS_DISABLE;

		if (!off && stack->ss_size < MINSIGSTKSZ)
			return -ENOMEM;
		t->alternate = off ? 0 : (word)stack->ss_sp;
		t->alternate_size = off ? 0 : stack->ss_size;
	}
	return 0;
}

static long send(struct posix_thread *t, word signal, int code)
{
	const struct signal_info info = { .code = code };
	long status = 0;

	if (signal > SIGNALS)
		return -EINVAL;
	posix_lock();
	if (signal)
		status = signal_post(t, (int)signal, &info);
	posix_unlock();
	return status < 0 ? status : 0;
}

long call_tkill(word tid, word signal)
{
	struct posix_thread *t = thread_of(tid);

	return t ? send(t, signal, SI_TKILL) : -ESRCH;
}

long call_tgkill(word pid, word tid, word signal)
{
	return pid == posix_pid() ? call_tkill(tid, signal) : -ESRCH;
}

long call_kill(word pid, word signal)
{
	if (pid && (int)pid != -1 && pid != posix_pid())
		return -ESRCH;
	return send(NULL, signal, SI_USER);
}
