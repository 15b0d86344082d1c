// SPDX-License-Identifier: GPL-2.0
#include <kernel/capability.h>
#include <kernel/cpu.h>
#include <kernel/page_table.h>

#define STACK_SHIFT_MIN 9
#define STACK_SHIFT_MAX 20

struct object *component_create(void *memory)
{
	struct component *comp = memory;

	__builtin_memset(comp, 0, sizeof(*comp));
	comp->object.type = LIMPET_COMPONENT;
	comp->index = UINT32_MAX;
	list_init(&comp->handles);
	return &comp->object;
}

struct component *component_get(struct cpu *cpu, word slot, unsigned int rights, long *error)
{
	return capability_object(cpu, slot, LIMPET_COMPONENT, rights, error);
}

/* Makes `by` the handler of the component's faults. NULL: removes the handler. */
static void handler_set(struct component *comp, struct component *by)
{
	list_remove(&comp->handled);
	comp->handler.component = by;
	if (by)
		list_append(&by->handles, &comp->handled);
}

void component_stop(struct cpu *cpu, struct component *comp)
{
	comp->epoch++;
	cpu->notify_left = cpu->threads_end;
	threads_notify(cpu);
}

enum destroyed component_destroy(struct cpu *cpu, struct component *comp)
{
	struct list *handled = list_first(&comp->handles);

	comp->root = 0;
	if (comp->entered != comp->left) {
		if (!comp->closing)
			component_stop(cpu, comp);
		comp->closing = true;
		return OBJECT_BUSY;
	}
	if (handled) {
		handler_set(list_object(handled, struct component, handled), NULL);
		return OBJECT_PARTLY;
	}
	handler_set(comp, NULL);
	if (comp->page_table)
		object_drop(cpu, &comp->page_table->object);
	if (comp->table)
		object_drop(cpu, &comp->table->object);
	if (comp->index < LIMPET_COMPONENTS_MAX)
		cpu->components[comp->index] = NULL;
	if (cpu->timekeeper == comp)
		cpu->timekeeper = NULL;
	executive_forget(cpu, comp);
	return OBJECT_GONE;
}

bool component_marked(const struct cpu *cpu, u32 index, u32 flag)
{
	return index < cpu->records && cpu->record[index].flags & flag;
}

void component_activate(struct cpu *cpu, struct component *comp, struct page_table *pt,
			struct table *table, word stacks, word shift, u32 index)
{
	comp->page_table = pt;
	pt->object.refs++;
	comp->table = table;
	table->object.refs++;
	comp->space = hal_page_table_root(&pt->hal);
	if (component_marked(cpu, index, LIMPET_COMPONENT_BARRIER))
		comp->space = hal_page_table_barrier(comp->space);
	comp->root = comp->space;
	comp->stack_size = 1ul << shift;
	comp->stack_top = stacks + comp->stack_size;
	comp->index = index;
	cpu->components[index] = comp;
}

static bool stacks_valid(word stacks, word shift)
{
	return shift >= STACK_SHIFT_MIN && shift <= STACK_SHIFT_MAX && stacks % LIMPET_PAGE == 0 &&
	       stacks < LIMPET_USER_END &&
	       (word)LIMPET_THREADS_MAX << shift <= LIMPET_USER_END - stacks;
}

/*
 * COMPONENT_ACTIVATE(component, page table, table, stacks, stack shift, index): sets the
 * component's protection domain, once. Thread `id` gets the stack that ends at stacks + (id + 1 <<
 * shift). ERANGE: shift is outside 9 to 20, stacks are outside user addresses or unaligned, or the
 * index is too large. ESTATE: the component was activated before, or the page table has no root.
 * EFULL: another component has the index.
 */
long call_component_activate(struct cpu *cpu, struct hal_regs *regs)
{
	word stacks = hal_regs_word(regs, 3), shift = hal_regs_word(regs, 4),
	     index = hal_regs_word(regs, 5);
	long error;
	struct component *comp = component_get(cpu, hal_regs_word(regs, 0), LIMPET_MANAGE, &error);
	struct page_table *pt = comp ? capability_object(cpu, hal_regs_word(regs, 1),
							 LIMPET_PAGE_TABLE, LIMPET_MANAGE, &error)
				     : NULL;
	struct table *table = pt ? capability_object(cpu, hal_regs_word(regs, 2), LIMPET_TABLE,
						     LIMPET_MANAGE, &error)
				 : NULL;

	if (!table)
		return error;
	if (!stacks_valid(stacks, shift) || index >= LIMPET_COMPONENTS_MAX)
		return LIMPET_ERANGE;
	index = index_clamp(index, LIMPET_COMPONENTS_MAX);
	if (comp->index < LIMPET_COMPONENTS_MAX || !hal_page_table_root(&pt->hal))
		return LIMPET_ESTATE;
	if (cpu->components[index])
		return LIMPET_EFULL;
	component_activate(cpu, comp, pt, table, stacks, shift, (u32)index);
	return LIMPET_OK;
}

/*
 * COMPONENT_HANDLER(component, gate): faults in the component become invocations of the gate, until
 * the gate's component is destroyed. ESTATE: the component was not activated.
 */
long call_component_handler(struct cpu *cpu, struct hal_regs *regs)
{
	long error;
	struct component *comp = component_get(cpu, hal_regs_word(regs, 0), LIMPET_MANAGE, &error);
	struct capability *gate =
		comp ? capability_get(cpu, hal_regs_word(regs, 1), LIMPET_GATE, 0, &error) : NULL;

	if (!gate)
		return error;
	if (!comp->space)
		return LIMPET_ESTATE;
	handler_set(comp, (struct component *)gate->object);
	comp->handler.entry = gate->a;
	comp->handler.badge = gate->b;
	return LIMPET_OK;
}

/*
 * COMPONENT_STOP(component, flags): stops the component. Each thread in it returns to its caller
 * with LIMPET_ECRASH when it runs next. A thread without a caller is dead. The component's memory
 * does not change. It can be invoked again immediately or, with LIMPET_STOP_CLOSE, after
 * COMPONENT_OPEN. ERANGE: other flags.
 */
long call_component_stop(struct cpu *cpu, struct hal_regs *regs)
{
	word flags = hal_regs_word(regs, 1);
	long error;
	struct component *comp = component_get(cpu, hal_regs_word(regs, 0), LIMPET_WRITE, &error);

	if (!comp)
		return error;
	if (flags & ~(word)LIMPET_STOP_CLOSE)
		return LIMPET_ERANGE;
	component_stop(cpu, comp);
	if (flags)
		comp->root = 0;
	return LIMPET_OK;
}

/* COMPONENT_OPEN(component): opens a closed component. ESTATE: the component was not activated. */
long call_component_open(struct cpu *cpu, struct hal_regs *regs)
{
	long error;
	struct component *comp = component_get(cpu, hal_regs_word(regs, 0), LIMPET_WRITE, &error);

	if (!comp)
		return error;
	if (!comp->space)
		return LIMPET_ESTATE;
	comp->root = comp->space;
	return LIMPET_OK;
}
