// SPDX-License-Identifier: GPL-2.0
#include <kernel/capability.h>
#include <kernel/cpu.h>
#include <kernel/page_table.h>

#define STACK_SHIFT_LEAST 12
#define STACK_SHIFT_MOST 20

struct object *component_create(void *memory)
{
	struct component *c = memory;

	__builtin_memset(c, 0, sizeof(*c));
	c->object.type = LIMPET_COMPONENT;
	c->index = UINT32_MAX;
	list_init(&c->handles);
	return &c->object;
}

/* `by` handles the faults of the component from now on; NULL: none does. */
static void handler_set(struct component *c, struct component *by)
{
	list_remove(&c->handled);
	c->handler.component = by;
	if (by)
		list_append(&by->handles, &c->handled);
}

void component_stop(struct cpu *cpu, struct component *c)
{
	c->epoch++;
	cpu->untold = cpu->threads_end;
	threads_tell(cpu);
}

enum destroyed component_destroy(struct cpu *cpu, struct component *c)
{
	struct list *handled = list_first(&c->handles);

	c->root = 0;
	if (c->entered != c->left) {
		if (!c->closing)
			component_stop(cpu, c);
		c->closing = true;
		return OBJECT_BUSY;
	}
	if (handled) {
		handler_set(list_object(handled, struct component, handled), NULL);
		return OBJECT_PARTLY;
	}
	handler_set(c, NULL);
	if (c->page_table)
		object_drop(cpu, &c->page_table->object);
	if (c->table)
		object_drop(cpu, &c->table->object);
	if (c->index < LIMPET_COMPONENTS_MAX)
		cpu->components[c->index] = NULL;
	if (cpu->timekeeper == c)
		cpu->timekeeper = NULL;
	return OBJECT_GONE;
}

static bool stacks_valid(word stacks, word shift)
{
	return shift >= STACK_SHIFT_LEAST && shift <= STACK_SHIFT_MOST &&
	       stacks % LIMPET_PAGE == 0 && stacks < LIMPET_USER_END &&
	       (word)LIMPET_THREADS_MAX << shift <= LIMPET_USER_END - stacks;
}

/*
 * COMPONENT_ACTIVATE(component, page table, table, stacks, stack shift, index): gives the component
 * its protection domain, once. Thread `id` gets the stack that ends at stacks + (id + 1 << shift).
 * ERANGE: shift outside 12 to 20, stacks outside user addresses or unaligned, index too large.
 * ESTATE: it was activated before. EFULL: another component has the index.
 */
long call_component_activate(struct cpu *cpu, struct hal_regs *r)
{
	word stacks = hal_regs_word(r, 3), shift = hal_regs_word(r, 4), index = hal_regs_word(r, 5);
	long error;
	struct capability *cap, *pt, *table;
	struct component *c;

	cap = capability_get(cpu, hal_regs_word(r, 0), LIMPET_COMPONENT, LIMPET_MANAGE, &error);
	pt = capability_next(cpu, cap, hal_regs_word(r, 1), LIMPET_PAGE_TABLE, LIMPET_MANAGE,
			     &error);
	table = capability_next(cpu, pt, hal_regs_word(r, 2), LIMPET_TABLE, LIMPET_MANAGE, &error);
	if (!table)
		return error;
	if (!stacks_valid(stacks, shift) || index >= LIMPET_COMPONENTS_MAX)
		return LIMPET_ERANGE;
	index = index_clamp(index, LIMPET_COMPONENTS_MAX);
	c = (struct component *)cap->object;
	if (c->index < LIMPET_COMPONENTS_MAX)
		return LIMPET_ESTATE;
	if (cpu->components[index])
		return LIMPET_EFULL;
	c->page_table = (struct page_table *)pt->object;
	c->page_table->object.refs++;
	c->table = (struct table *)table->object;
	c->table->object.refs++;
	c->space = hal_page_table_root(&c->page_table->hal);
	c->root = c->space;
	c->stack_size = 1ul << shift;
	c->stack_top = stacks + c->stack_size;
	c->index = index;
	cpu->components[index] = c;
	return LIMPET_OK;
}

/*
 * COMPONENT_HANDLER(component, gate): faults in the component become invocations of the gate, for as
 * long as the gate's component is there. ESTATE: the component was not activated.
 */
long call_component_handler(struct cpu *cpu, struct hal_regs *r)
{
	long error;
	struct capability *cap, *gate;
	struct component *c;

	cap = capability_get(cpu, hal_regs_word(r, 0), LIMPET_COMPONENT, LIMPET_MANAGE, &error);
	gate = capability_next(cpu, cap, hal_regs_word(r, 1), LIMPET_GATE, 0, &error);
	if (!gate)
		return error;
	c = (struct component *)cap->object;
	if (!c->space)
		return LIMPET_ESTATE;
	handler_set(c, (struct component *)gate->object);
	c->handler.entry = gate->a;
	c->handler.badge = gate->b;
	return LIMPET_OK;
}

/*
 * COMPONENT_STOP(component, flags): whatever threads do in it is over. Each of them, when it runs
 * next, returns to its caller with LIMPET_ECRASH; a thread without a caller is dead. The component's
 * memory is as it was left; it can be invoked again at once, or, with LIMPET_STOP_CLOSE, from
 * COMPONENT_OPEN on. ERANGE: other flags.
 */
long call_component_stop(struct cpu *cpu, struct hal_regs *r)
{
	word flags = hal_regs_word(r, 1);
	long error;
	struct capability *cap =
		capability_get(cpu, hal_regs_word(r, 0), LIMPET_COMPONENT, LIMPET_MANAGE, &error);

	if (!cap)
		return error;
	if (flags & ~(word)LIMPET_STOP_CLOSE)
		return LIMPET_ERANGE;
	component_stop(cpu, (struct component *)cap->object);
	if (flags)
		((struct component *)cap->object)->root = 0;
	return LIMPET_OK;
}

/* COMPONENT_OPEN(component): it can be invoked, if it was closed. ESTATE: it was not activated. */
long call_component_open(struct cpu *cpu, struct hal_regs *r)
{
	long error;
	struct capability *cap =
		capability_get(cpu, hal_regs_word(r, 0), LIMPET_COMPONENT, LIMPET_MANAGE, &error);
	struct component *c;

	if (!cap)
		return error;
	c = (struct component *)cap->object;
	if (!c->space)
		return LIMPET_ESTATE;
	c->root = c->space;
	return LIMPET_OK;
}
