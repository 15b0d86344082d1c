// SPDX-License-Identifier: GPL-2.0
/* Faults: an exception, or a system call that is not the kernel's, becomes an invocation. */
#include <kernel/cpu.h>
#include <kernel/fault.h>

#define RED_ZONE 128 /* bytes below the stack pointer that code may use, System V ABI 3.2.2 */

static void fault_record(struct cpu *cpu, word kind, word address, word error)
{
	struct component *c = cpu->component;

	cpu->faults++;
	c->faults++;
	c->fault.kind = kind;
	c->fault.address = address;
	c->fault.error = error;
	c->fault.ip = hal_regs_ip(&cpu->thread->regs);
	c->fault.thread = cpu->thread->id;
	trace_event(cpu, LIMPET_TRACE_FAULT, kind);
}

/* The faulting thread invokes the handler; false: it cannot. */
static bool handler_invoke(struct cpu *cpu)
{
	struct component *c = cpu->component, *to = c->handler.component;
	struct thread *t = cpu->thread;
	struct invocation *frame = t->top + 1;
	word sp = (hal_regs_sp(&t->regs) - RED_ZONE) &
		  ~15ul; /* its own handler: below what it uses */

	if (!to || !to->root || t->faults == THREAD_FAULTS || frame == t->frame + countof(t->frame))
		return false;
	t->fault_regs[t->faults++] = t->regs;
	*frame = (struct invocation){ .component = c, .epoch = c->epoch | INVOCATION_FAULT };
	t->top = frame;
	to->entered++;
	if (to != c)
		sp = component_stack(to, t->id);
	hal_regs_start(&t->regs, c->handler.entry, sp, c->handler.badge);
	hal_regs_set_word(&t->regs, 0, c->fault.kind);
	hal_regs_set_word(&t->regs, 1, c->fault.address);
	hal_regs_set_word(&t->regs, 2, c->fault.error);
	hal_regs_set_word(&t->regs, 3, c->fault.ip);
	hal_regs_set_word(&t->regs, 4, t->id);
	hal_regs_set_word(&t->regs, 5, c->index);
	cpu->component = to;
	t->epoch = to->epoch;
	hal_page_table_load(to->root);
	trace_event(cpu, LIMPET_TRACE_INVOKE, 0);
	return true;
}

void fault_raise(struct cpu *cpu, word kind, word address, word error)
{
	fault_record(cpu, kind, address, error);
	if (!handler_invoke(cpu))
		thread_leave(cpu, LIMPET_ECRASH);
}
