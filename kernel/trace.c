// SPDX-License-Identifier: GPL-2.0
#include <kernel/cpu.h>
#include <kernel/trace.h>

#define EVENT sizeof(struct limpet_trace_event)
#define INVOCATIONS (1ul << LIMPET_TRACE_INVOKE | 1ul << LIMPET_TRACE_RETURN)

_Static_assert(EVENT == 16, "events divide a ring");

/* Not inlined, because only traced systems call it. */
__attribute__((noinline)) void trace_current(struct cpu *cpu, enum limpet_trace_kind kind,
					     word argument)
{
	u32 thread = cpu->idle ? LIMPET_TRACE_NONE : cpu->thread->id;
	u32 component = cpu->idle ? LIMPET_TRACE_NONE : cpu->component->index;

	trace_put(&cpu->trace, kind, (u16)thread, (u16)component, (u16)argument);
}

void trace_init(struct cpu *cpu, void *ring, word size)
{
	cpu->path = TRACE_PATH_PLAIN;
	cpu->trace.ring = size ? ring : NULL;
	cpu->trace.mask = size ? size - 1 : 0;
}

void trace_switch(struct cpu *cpu, word kinds)
{
	struct trace *trace = &cpu->trace;
	bool begins = !trace->kinds && kinds;

	if (!trace->ring)
		return;
	trace->kinds = kinds & LIMPET_TRACE_ALL;
	cpu->path = kinds & INVOCATIONS ? TRACE_PATH_TRACED : TRACE_PATH_PLAIN;
	if (begins)
		trace_current(cpu, LIMPET_TRACE_START, thread_depth(cpu->thread));
}

u64 trace_position(const struct cpu *cpu)
{
	return *(const volatile u64 *)&cpu->trace.head / EVENT;
}

/*
 * Returns the number of the oldest valid event after `head` were written. The kernel may be writing
 * to one more slot.
 */
static u64 oldest(const struct trace *trace, u64 head)
{
	u64 slots = (trace->mask + 1) / EVENT;

	return head >= slots ? head - slots + 1 : 0;
}

/* Returns the number of events from `position` on that were overwritten. */
static u64 overwritten(const struct cpu *cpu, u64 position)
{
	u64 first = oldest(&cpu->trace, trace_position(cpu));

	return first > position ? first - position : 0;
}

u32 trace_read(const struct cpu *cpu, u64 *position, struct limpet_trace_event *to, u32 count,
	       u64 *lost)
{
	const struct trace *trace = &cpu->trace;
	u64 head = trace_position(cpu), dropped;

	*lost = 0;
	if (!trace->ring)
		return 0;
	if (*position > head)
		*position = head;
	*lost = overwritten(cpu, *position);
	*position += *lost;
	head = trace_position(cpu);
	if (count > head - *position)
		count = (u32)(head - *position);
	for (u32 i = 0; i < count; i++)
		to[i] = trace->ring[(*position + i) & trace->mask / EVENT];
	hal_barrier();
	dropped = overwritten(cpu, *position);
	if (dropped > count)
		dropped = count;
	for (u32 i = (u32)dropped; dropped && i < count; i++)
		to[i - dropped] = to[i];
	*lost += dropped;
	*position += count;
	return count - (u32)dropped;
}
