/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The trace: a ring of what happened on a CPU, which only this CPU's kernel writes. The host switches it
 * on and off by what it leaves in the inbox, and reads it at any time from any CPU, without a lock: what
 * was overwritten meanwhile is lost, and counted.
 *
 * While it is off an event costs one test, of its kind's bit. Invocations and returns do not cost even
 * that: the entry code, which must distinguish the host from components anyway, sees by the same
 * comparison that they are to be recorded, and then calls gate_invoke_traced() and gate_return_traced().
 */
#ifndef KERNEL_TRACE_H
#define KERNEL_TRACE_H

#include <hal/types.h>
#include <hal.h>
#include <limpet/trace.h>

struct cpu;

/* What the entry code compares: how components' system calls go. 0 is the host's. */
enum trace_path {
	TRACE_PATH_PLAIN = 1,
	TRACE_PATH_TRACED = 2,
};

struct trace {
	struct limpet_trace_event *ring; /* NULL: the system has none */
	u64 head;			 /* bytes that were ever written */
	u64 mask;   /* what of head is the place in the ring; 0: there is none */
	word kinds; /* bits of those that are recorded; 0: it is off */
};

/* Writes an event. thread, component: below 2^16. Cost: twelve instructions. */
static inline void trace_put(struct trace *trace, u32 kind, u32 thread, u32 component, u32 argument)
{
	volatile struct limpet_trace_event *event =
		(void *)((u8 *)trace->ring + (trace->head & trace->mask));

	hal_time_store(&event->time);
	event->where = component | argument << 16;
	event->what = thread | kind << 16;
	hal_barrier();
	trace->head += sizeof(*event);
}

/* The test that every kernel path pays: whether this kind is recorded. */
static inline bool trace_on(const struct trace *trace, enum limpet_trace_kind kind)
{
	return unlikely(trace->kinds & 1ul << kind);
}

/* The same for the current thread, where it executes; nothing when this kind is not recorded. */
#define trace_event(cpu, kind, argument)                                                           \
	do {                                                                                       \
		if (trace_on(&(cpu)->trace, kind))                                                 \
			trace_current(cpu, kind, argument);                                        \
	} while (0)
void trace_current(struct cpu *cpu, enum limpet_trace_kind kind, word argument);

/* Gives the CPU a ring of `size` bytes, a power of two, zeroed; 0: none. */
void trace_init(struct cpu *cpu, void *ring, word size);
/* The host wants these kinds recorded from now on; 0: none. Called by the CPU's own kernel. */
void trace_switch(struct cpu *cpu, word kinds);

/*
 * Copies at most `count` events to `to`, from *position on, a count of events since the beginning, which
 * it moves past them; one that is not reached yet becomes the present. *lost: events before them that are
 * not there any more. Returns how many. Context: anywhere,
 * beside the CPU's kernel, which may write at the same time. Cost: linear in count.
 */
u32 trace_read(const struct cpu *cpu, u64 *position, struct limpet_trace_event *to, u32 count,
	       u64 *lost);
/* The position of the next event. */
u64 trace_position(const struct cpu *cpu);

#endif
