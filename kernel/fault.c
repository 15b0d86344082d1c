// SPDX-License-Identifier: GPL-2.0
/* Faults: an exception, or a system call that is not the kernel's, becomes an invocation. */
#include <kernel/capability.h>
#include <kernel/cpu.h>
#include <kernel/fault.h>

#define RED_ZONE 128 /* bytes below the stack pointer that code may use, System V ABI 3.2.2 */

/* Records a fault that was not repaired as the last fault of the component. */
static void fault_note(struct component *comp, const struct thread *thread,
		       const struct hal_regs *regs, const struct fault *fault)
{
	comp->faults++;
	comp->fault = *fault;
	comp->fault_ip = hal_regs_ip(regs);
	comp->fault_thread = thread->id;
	if (thread->guest && thread->executive->component == comp)
		thread->guest->blamed = true;
}

void fault_unrepaired(const struct thread *thread, const struct invocation *frame)
{
	const struct hal_regs *regs = &thread->fault_regs[thread->faults - 1];

	fault_note(frame->component, thread, regs, &thread->fault[thread->faults - 1]);
}

/*
 * Returns the stack pointer at which a handler starts. If the thread is in the handler's component
 * already, because it faulted there or came from there, this is below the used part of its stack.
 * Otherwise it is the top of the stack.
 */
static word handler_stack(const struct thread *thread, const struct component *in,
			  const struct component *to)
{
	const struct hal_regs *fault = &thread->fault_regs[thread->faults];
	word sp = in == to ? hal_regs_sp(&thread->regs) : 0;

	for (const struct invocation *frame = thread->top; !sp && frame != thread->frame; frame--) {
		bool faulted = frame->epoch & INVOCATION_FAULT;

		fault -= faulted;
		if (frame->component == to)
			sp = faulted ? hal_regs_sp(fault) : frame->sp;
	}
	return sp ? (sp - RED_ZONE) & ~15ul : component_stack(to, thread->id);
}

/* Makes the faulting thread invoke the handler. Returns false if it cannot. */
static bool handler_invoke(struct cpu *cpu, const struct fault *fault)
{
	struct component *comp = cpu->component, *to = comp->handler.component;
	struct thread *thread = cpu->thread;
	struct invocation *frame = thread->top + 1;
	word sp;

	if (!to || !to->root || thread->faults == THREAD_FAULTS || thread->top == thread->last)
		return false;
	sp = handler_stack(thread, comp, to);
	thread->fault[thread->faults] = *fault;
	thread->fault_regs[thread->faults++] = thread->regs;
	*frame = (struct invocation){ .component = comp, .epoch = comp->epoch | INVOCATION_FAULT };
	thread->top = frame;
	to->entered++;
	hal_regs_start(&thread->regs, comp->handler.entry, sp, comp->handler.badge);
	hal_regs_set_word(&thread->regs, 0, fault->kind);
	hal_regs_set_word(&thread->regs, 1, fault->address);
	hal_regs_set_word(&thread->regs, 2, fault->error);
	hal_regs_set_word(&thread->regs, 3, hal_regs_ip(&thread->fault_regs[thread->faults - 1]));
	hal_regs_set_word(&thread->regs, 4, thread->id);
	hal_regs_set_word(&thread->regs, 5, comp->index);
	cpu->component = to;
	thread->epoch = to->epoch;
	hal_page_table_load(to->root);
	trace_event(cpu, LIMPET_TRACE_INVOKE, 0);
	return true;
}

/*
 * Handles the crash of a component that was a scheduler, because its record of threads cannot be
 * trusted any more. Without the timekeeper nothing decides which thread runs, so the system ends.
 * Any other scheduler is stopped and closed. Its thread dies, and the scheduler of that thread gets
 * a notice. The threads of the closed scheduler never run again.
 */
static void scheduler_crashed(struct cpu *cpu, struct component *comp)
{
	if (!comp->schedules)
		return;
	if (comp == cpu->timekeeper) {
		host_end(&cpu->host);
		return;
	}
	component_stop(cpu, comp);
	comp->root = 0;
}

void fault_raise(struct cpu *cpu, word kind, word address, word error)
{
	struct component *comp = cpu->component;
	const struct fault fault = { kind, address, error };

	if (kind == LIMPET_FAULT_SYSCALL && cpu->component->syscalls) {
		hal_regs_jump(&cpu->thread->regs, cpu->component->syscalls);
		return;
	}
	cpu->faults++;
	trace_event(cpu, LIMPET_TRACE_FAULT, kind);
	if (handler_invoke(cpu, &fault))
		return;
	fault_note(comp, cpu->thread, &cpu->thread->regs, &fault);
	thread_leave(cpu, LIMPET_ECRASH);
	scheduler_crashed(cpu, comp);
}

/*
 * SYSCALL_ENTRY(address): Linux system calls of the calling component's code become jumps to
 * `address` from now on; 0: they are faults again. ERANGE: it is not a user address.
 */
long call_syscall_entry(struct cpu *cpu, struct hal_regs *regs)
{
	word address = hal_regs_word(regs, 0);

	if (address >= LIMPET_USER_END)
		return LIMPET_ERANGE;
	cpu->component->syscalls = address;
	return LIMPET_OK;
}

/*
 * Returns the frame of the innermost fault that the thread is handling, or NULL if it handles no
 * fault.
 */
static const struct invocation *fault_frame(const struct thread *thread)
{
	const struct invocation *frame = thread->top;

	while (frame != thread->frame && !(frame->epoch & INVOCATION_FAULT))
		frame--;
	return frame != thread->frame ? frame : NULL;
}

/*
 * Reads which component invoked the component of a fault, `level` invocations above the nearest
 * one.
 */
static long caller_read(const struct thread *thread, const struct invocation *fault, word level,
			struct hal_regs *regs)
{
	const struct invocation *frame = fault - 1;
	const struct hal_regs *within = &thread->fault_regs[thread->faults - 1];
	bool faulted;

	if (level >= (word)(fault - thread->frame) - 1)
		return LIMPET_ENOENT;
	for (; level; level--, frame--)
		within -= frame->epoch & INVOCATION_FAULT ? 1 : 0;
	faulted = frame->epoch & INVOCATION_FAULT;
	hal_regs_result(regs, LIMPET_OK, frame->component->index,
			faulted ? hal_regs_ip(within - 1) : frame->ip,
			faulted ? hal_regs_sp(within - 1) : frame->sp);
	return CALL_DONE;
}

/*
 * Returns the registers with which a thread continues in the current component, or NULL if it executes elsewhere. While
 * a fault of the component is handled, these are the registers of the fault, also if the component itself handles it.
 * A thread that has not started, or is dead, has no frames and is not READY.
 */
static struct hal_regs *regs_within(struct cpu *cpu, struct thread *thread)
{
	const struct component *comp = cpu->component;
	const struct invocation *fault = fault_frame(thread);

	if (fault && fault->component == comp && fault->epoch == (comp->epoch | INVOCATION_FAULT))
		return &thread->fault_regs[thread->faults - 1];
	if (thread == cpu->thread || thread->component != comp || thread->epoch != comp->epoch)
		return NULL;
	return thread->state == LIMPET_THREAD_READY ? &thread->regs : NULL;
}

/*
 * THREAD_DIVERT(id, from, to): makes a thread that executes the calling component's own code continue at `to` instead
 * of `from`. A thread whose fault in this component is being handled continues there after the fault. It can be the
 * caller. Nothing else of the thread changes, so the code at `to` can return to `from`. Word 0: the address of the
 * thread. EAGAIN: this address is not `from`, and nothing was done. ENOENT: no thread has the id. ESTATE: the thread
 * executes elsewhere, or is the caller and does not handle a fault of this component. ERANGE: id or address.
 */
long call_thread_divert(struct cpu *cpu, struct hal_regs *call)
{
	word id = hal_regs_word(call, 0), from = hal_regs_word(call, 1),
	     to = hal_regs_word(call, 2), ip;
	struct hal_regs *regs;
	struct thread *thread;

	if (id >= LIMPET_THREADS_MAX || to >= LIMPET_USER_END)
		return LIMPET_ERANGE;
	thread = cpu->threads[index_clamp(id, LIMPET_THREADS_MAX)];
	if (!thread)
		return LIMPET_ENOENT;
	regs = regs_within(cpu, thread);
	if (!regs)
		return LIMPET_ESTATE;
	ip = hal_regs_ip(regs);
	if (ip == from)
		hal_regs_jump(regs, to);
	hal_regs_result(call, ip == from ? LIMPET_OK : LIMPET_EAGAIN, ip, 0, 0);
	return CALL_DONE;
}

/*
 * FAULT_READ(component, what): reads about the innermost fault that the calling thread is handling;
 * <limpet/call.h> lists the words. ESTATE: it does not handle a fault of that component. ENOENT: no
 * more callers.
 */
long call_fault_read(struct cpu *cpu, struct hal_regs *call)
{
	word what = hal_regs_word(call, 1);
	long error;
	struct component *comp = component_get(cpu, hal_regs_word(call, 0), LIMPET_MANAGE, &error);
	const struct thread *thread = cpu->thread;
	const struct invocation *fault = fault_frame(thread);
	const struct hal_regs *regs;

	if (!comp)
		return error;
	if (what >= LIMPET_FAULT_REGISTERS && what < LIMPET_FAULT_CALLER(0))
		return LIMPET_ERANGE;
	if (!fault || fault->component != comp)
		return LIMPET_ESTATE;
	if (what >= LIMPET_FAULT_CALLER(0))
		return caller_read(thread, fault, what - LIMPET_FAULT_CALLER(0), call);
	regs = &thread->fault_regs[thread->faults - 1];
	what *= 3;
	hal_regs_result(call, LIMPET_OK, hal_regs_all(regs, what), hal_regs_all(regs, what + 1),
			hal_regs_all(regs, what + 2));
	return CALL_DONE;
}

/*
 * FAULT_WRITE(component, register, value): the thread continues with this value after the fault, if
 * its handler returns LIMPET_OK. Registers are numbered as those of FAULT_READ, 0 to 17. Of rflags
 * only the arithmetic, trap and direction flags change. ERANGE: the register does not exist, or rip
 * is not a user address. ESTATE: as FAULT_READ.
 */
long call_fault_write(struct cpu *cpu, struct hal_regs *regs)
{
	word number = hal_regs_word(regs, 1), value = hal_regs_word(regs, 2);
	long error;
	struct component *comp = component_get(cpu, hal_regs_word(regs, 0), LIMPET_MANAGE, &error);
	struct thread *thread = cpu->thread;
	const struct invocation *fault = fault_frame(thread);

	if (!comp)
		return error;
	if (number >= HAL_REGS || (number == HAL_REG_IP && value >= LIMPET_USER_END))
		return LIMPET_ERANGE;
	if (!fault || fault->component != comp)
		return LIMPET_ESTATE;
	hal_regs_all_set(&thread->fault_regs[thread->faults - 1], number, value);
	return LIMPET_OK;
}
