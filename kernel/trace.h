/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The trace: a ring of events of a CPU, which only this CPU's kernel writes. The host selects the
 * recorded kinds by the inbox, and reads the ring at any time, on any CPU, without a lock. Events
 * that were overwritten during a read are lost and counted.
 *
 * While tracing is off, an event costs one test of its kind's bit. Invocations and returns do not
 * cost this test: the entry code must distinguish the host from components in any case. The same
 * comparison decides whether it calls gate_invoke_traced() and gate_return_traced().
 */
#ifndef KERNEL_TRACE_H
#define KERNEL_TRACE_H

#include <hal/types.h>
#include <hal.h>
#include <limpet/trace.h>

struct cpu;

/* Path of components' system calls, which the entry code compares. 0 is the host's path. */
enum trace_path {
	TRACE_PATH_PLAIN = 1,
	TRACE_PATH_TRACED = 2,
};

struct trace {
	struct limpet_trace_event *ring; /* NULL: the system has no trace */
	u64 head;			 /* number of all bytes ever written */
	u64 mask;   /* bits of head that are the offset in the ring; 0: the system has no trace */
	word kinds; /* bits of the recorded kinds; 0: tracing is off */
};

/* Writes an event. thread and component are below 2^16. Cost: twelve instructions. */
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

/* Returns whether this kind is recorded. Each kernel path executes this test. */
static inline bool trace_on(const struct trace *trace, enum limpet_trace_kind kind)
{
	return unlikely(trace->kinds & 1ul << kind);
}

/* Writes an event of the current thread and its component, if this kind is recorded. */
#define trace_event(cpu, kind, argument)                                                           \
	do {                                                                                       \
		if (trace_on(&(cpu)->trace, kind))                                                 \
			trace_current(cpu, kind, argument);                                        \
	} while (0)
void trace_current(struct cpu *cpu, enum limpet_trace_kind kind, word argument);

/* Sets the CPU's ring of `size` bytes, a power of two, zeroed. Size 0: the CPU has no ring. */
void trace_init(struct cpu *cpu, void *ring, word size);
/* Selects the recorded kinds; 0 stops tracing. Called by the CPU's own kernel. */
void trace_switch(struct cpu *cpu, word kinds);

/*
 * Copies at most `count` events from number *position on to `to`, and advances *position past them.
 * A *position after the last event is first set to the next event. Sets *lost to the number of
 * events from *position on that were overwritten. Returns the number of copied events. Any context,
 * also while the CPU's kernel writes. Cost: linear in count.
 */
u32 trace_read(const struct cpu *cpu, u64 *position, struct limpet_trace_event *to, u32 count,
	       u64 *lost);
/* Returns the position of the next event. */
u64 trace_position(const struct cpu *cpu);

#endif
