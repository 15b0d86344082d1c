// SPDX-License-Identifier: BSD-2-Clause
/* Enters handlers of signals, and returns from them. */
#include <runtime/divert.h>
#include <runtime/memory.h>

#include <asm/sigcontext.h>
#include <asm/signal.h>
#include <asm/ucontext.h>
#include <asm/unistd.h>

#include "call.h"
#include "signal_state.h"

/* The data on the stack of a handler. The return address comes first. */
struct signal_frame {
	word restorer;
	struct ucontext context;
	struct siginfo info;
};

/* The registers that have the same name in both structures. */
/* clang-format off */
#define REGISTERS(from)                                                                            \
	.r8 = (from)->r8, .r9 = (from)->r9, .r10 = (from)->r10, .r12 = (from)->r12,                \
	.r13 = (from)->r13, .r14 = (from)->r14, .r15 = (from)->r15, .rdi = (from)->rdi,            \
	.rsi = (from)->rsi, .rbp = (from)->rbp, .rbx = (from)->rbx, .rdx = (from)->rdx,            \
	.rax = (from)->rax, .rsp = (from)->rsp, .rip = (from)->rip
/* clang-format on */

/* After a system call, rcx contains the return address and r11 the flags. */
static void context_save(struct sigcontext *to, const struct posix_thread *thread)
{
	const struct posix_frame *from = thread->frame;

	*to = (struct sigcontext){
		REGISTERS(from),
		.rcx = thread->full ? thread->rcx : from->rip,
		.r11 = thread->full ? thread->r11 : from->flags,
		.eflags = from->flags,
	};
}

static void context_load(struct posix_thread *thread, const struct sigcontext *from)
{
	*thread->frame = (struct posix_frame){ REGISTERS(from), .flags = from->eflags };
	thread->rcx = from->rcx;
	thread->r11 = from->r11;
	thread->full = true;
}

/* Returns the address at which the stack of a handler starts. */
static word stack_of(const struct posix_thread *thread, const struct sigaction *action, word sp)
{
	const bool on_it = sp - thread->alternate - 1 < thread->alternate_size;

	if (action->sa_flags & SA_ONSTACK && thread->alternate_size && !on_it)
		return thread->alternate + thread->alternate_size;
	return sp - LIMPET_RED_ZONE;
}

static void handler_enter(struct posix_thread *thread, int signal, const struct siginfo *info,
			  const struct posix_exception *exception)
{
	const struct sigaction *action = &signal_actions[signal];
	struct posix_frame *frame = thread->frame;
	word top = stack_of(thread, action, frame->rsp);
	uint8_t *vectors = (uint8_t *)((top - sizeof(thread->vectors)) & ~63ul);
	/* The ABI's alignment after a call: 8 below a multiple of 16. */
	struct signal_frame *to = (void *)((((word)vectors - sizeof(*to)) & ~15ul) - 8);

	memcpy(vectors, thread->vectors, sizeof(thread->vectors));
	memset(to, 0, sizeof(*to));
	to->restorer = (word)action->sa_restorer;
	to->info = *info;
	context_save(&to->context.uc_mcontext, thread);
	to->context.uc_mcontext.trapno = exception->vector;
	to->context.uc_mcontext.err = exception->code;
	to->context.uc_mcontext.cr2 = exception->address;
	to->context.uc_mcontext.fpstate = (void *)vectors;
	memcpy(&to->context.uc_sigmask, thread->mask_restore ? &thread->mask_after : &thread->mask,
	       sizeof(thread->mask));
	thread->mask_restore = false;
	thread->mask |= action->sa_mask | (action->sa_flags & SA_NODEFER ? 0 : BIT(signal));
	frame->rip = (word)action->sa_handler;
	frame->rsp = (word)to;
	frame->rdi = (word)signal;
	frame->rsi = (word)&to->info;
	frame->rdx = (word)&to->context;
	frame->rax = 0;
	if (action->sa_flags & SA_RESETHAND)
		signal_actions[signal].sa_handler = SIG_DFL;
}

/* Returns whether a signal interrupted the system call that a thread is in, or has left. */
static bool call_interrupted(const struct posix_thread *thread, word number)
{
	return thread->frame->rax == (word)-ERESTART && number != __NR_rt_sigreturn &&
	       number != NO_CALL;
}

/* Returns whether signals_deliver() must be called after a system call. */
static bool signals_attention(const struct posix_thread *thread, word number)
{
	return posix_exiting || thread->mask_restore || call_interrupted(thread, number) ||
	       (thread->pending | signals_of_program) & ~thread->mask;
}

/*
 * Restarts an interrupted call, or makes it return EINTR. Must be called before the first handler
 * is entered, if any.
 */
static void restart(struct posix_thread *thread, word number, bool again)
{
	struct posix_frame *frame = thread->frame;

	if (!call_interrupted(thread, number))
		return;
	frame->rax = again ? number : (word)-EINTR;
	if (again)
		frame->rip -= 2; /* the length of `syscall` */
}

/* Enters handlers, ends the program, or repeats the call, depending on the pending signals and the call's result. */
static void signals_deliver(struct posix_thread *thread, word number)
{
	struct siginfo info;
	int signal;

	posix_lock();
	if (posix_exiting)
		thread_end(thread, 0);
	while ((signal = signal_take(thread, ~thread->mask, &info))) {
		if (signal_ignored(signal))
			continue;
		if (signal_actions[signal].sa_handler == SIG_DFL) {
			posix_unlock();
			posix_exit(0, signal);
		}
		restart(thread, number, signal_actions[signal].sa_flags & SA_RESTART);
		handler_enter(thread, signal, &info, &(struct posix_exception){ 0 });
	}
	restart(thread, number, true);
	if (thread->mask_restore)
		thread->mask = thread->mask_after;
	thread->mask_restore = false;
	posix_unlock();
}

/*
 * A signal that comes after this function has checked for signals finds `leaving` set. It then diverts the thread to
 * posix_interrupt(), which checks again.
 */
struct posix_leave posix_leave(struct posix_thread *thread)
{
	struct posix_frame *frame = thread->frame;

	for (;;) {
		thread->leaving = true;
		barrier();
		if (likely(!signals_attention(thread, thread->number)))
			break;
		thread->leaving = false;
		barrier();
		signals_deliver(thread, thread->number);
	}
	thread_pointers(thread);
	if (unlikely(thread->full)) {
		thread->go_sp = frame->rsp - LIMPET_RED_ZONE - sizeof(word);
		*(word *)thread->go_sp = frame->rip;
	}
	return (struct posix_leave){ frame, thread->full };
}

bool signal_catchable(const struct posix_thread *thread, int signal)
{
	const __sighandler_t handler = signal_actions[signal].sa_handler;

	return handler != SIG_DFL && handler != SIG_IGN && !(thread->mask & BIT(signal));
}

void signal_exception(struct posix_thread *thread, int signal, const struct siginfo *info)
{
	posix_lock();
	if (!posix_exiting && !signal_catchable(thread, signal)) {
		posix_unlock();
		posix_exit(0, signal);
	}
	if (!posix_exiting)
		handler_enter(thread, signal, info, &thread->exception);
	posix_unlock();
}

long call_rt_sigreturn(void)
{
	struct posix_thread *thread = posix_self();
	const struct ucontext *context = (const void *)thread->frame->rsp;
	uint64_t mask;

	if (context->uc_mcontext.fpstate)
		memcpy(thread->vectors, (const void *)context->uc_mcontext.fpstate,
		       sizeof(thread->vectors));
	memcpy(&mask, &context->uc_sigmask, sizeof(mask));
	posix_lock();
	thread->mask = mask & ~UNBLOCKABLE;
	posix_unlock();
	context_load(thread, &context->uc_mcontext);
	return (long)thread->frame->rax;
}
