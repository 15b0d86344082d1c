// SPDX-License-Identifier: GPL-2.0
#include <kernel/capability.h>
#include <kernel/cpu.h>
#include <kernel/gate.h>

static struct user_return refuse(struct cpu *cpu, word ip, word sp, long error)
{
	cpu->ret = (word)error;
	return (struct user_return){ ip, sp };
}

/* `traced` is a constant at compile time, so the code for it costs nothing if it is false. */
static inline __attribute__((always_inline)) struct user_return
invoke(struct cpu *cpu, word slot, word sp, word ip, bool traced)
{
	struct component *from = cpu->component, *to;
	struct thread *thread = cpu->thread;
	struct table *table = from->table;
	struct capability *gate = &table->slot[index_clamp(slot, table->slots)];
	struct invocation *frame;

	if (unlikely(gate->type != LIMPET_GATE))
		return refuse(cpu, ip, sp, gate->type ? LIMPET_ETYPE : LIMPET_ESLOT);
	to = (struct component *)gate->object;
	if (unlikely(!to->root))
		return refuse(cpu, ip, sp, LIMPET_ECRASH);
	if (unlikely(thread->top == thread->last))
		return refuse(cpu, ip, sp, LIMPET_EDEPTH);
	frame = thread->top + 1;
	frame->ip = ip;
	frame->sp = sp;
	frame->component = from;
	frame->epoch = from->epoch;
	thread->top = frame;
	to->entered++;
	cpu->component = to;
	cpu->ret = gate->b;
	hal_page_table_load(to->root);
	if (traced)
		trace_put(&cpu->trace, LIMPET_TRACE_INVOKE, thread->id, to->index, 0);
	return (struct user_return){ gate->a, component_stack(to, thread->id) };
}

static inline __attribute__((always_inline)) struct user_return leave(struct cpu *cpu, bool traced)
{
	struct thread *thread = cpu->thread;
	struct invocation *frame = thread->top;
	struct component *to = frame->component;

	if (unlikely(frame->epoch != to->epoch))
		return (struct user_return){ 0, 0 };
	cpu->component->left++;
	thread->top = frame - 1;
	cpu->component = to;
	hal_page_table_load(to->root);
	if (traced)
		trace_put(&cpu->trace, LIMPET_TRACE_RETURN, thread->id, to->index, 0);
	return (struct user_return){ frame->ip, frame->sp };
}

struct user_return gate_invoke(struct cpu *cpu, word slot, word sp, word ip)
{
	return invoke(cpu, slot, sp, ip, false);
}

struct user_return gate_invoke_traced(struct cpu *cpu, word slot, word sp, word ip)
{
	return invoke(cpu, slot, sp, ip, true);
}

struct user_return gate_return(struct cpu *cpu)
{
	return leave(cpu, false);
}

struct user_return gate_return_traced(struct cpu *cpu)
{
	return leave(cpu, true);
}

/*
 * GATE_CREATE(component, entry, badge, T, destination): makes a gate to the function at `entry`,
 * which gets `badge`. The gate has the rights of the component's capability. ERANGE: `entry` is not
 * a user address. ERIGHTS: the component's capability has no EXEC, or the destination is in another
 * table and it has no GRANT.
 */
long call_gate_create(struct cpu *cpu, struct hal_regs *regs)
{
	word entry = hal_regs_word(regs, 1), badge = hal_regs_word(regs, 2);
	long error;
	struct capability *from, *to;

	from = capability_get(cpu, hal_regs_word(regs, 0), LIMPET_COMPONENT, LIMPET_EXEC, &error);
	to = capability_target(cpu, from, hal_regs_word(regs, 3), hal_regs_word(regs, 4), &error);
	if (!to)
		return error;
	if (entry >= LIMPET_USER_END)
		return LIMPET_ERANGE;
	capability_derive(to, from, LIMPET_GATE, from->object, entry, badge, from->rights);
	return LIMPET_OK;
}
