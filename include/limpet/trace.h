/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The trace: the kernel's record of events, which LIMPET_IOC_TRACE_READ returns. Each CPU has a
 * ring of events. A new event overwrites the oldest one, so a slow reader loses events.
 */
#ifndef LIMPET_TRACE_H
#define LIMPET_TRACE_H

#include <stdint.h>

/*
 * Kinds of events. `thread` is the thread that executes, in `component`, unless the text says
 * otherwise.
 */
enum limpet_trace_kind {
	LIMPET_TRACE_START = 0, /* recording starts; argument: the thread's depth of invocations */
	LIMPET_TRACE_DISPATCH = 1, /* the CPU switches to the thread; argument: its depth */
	LIMPET_TRACE_INVOKE = 2,   /* the thread enters the component, by a gate or a fault */
	LIMPET_TRACE_RETURN = 3,   /* the thread returns to the component */
	LIMPET_TRACE_EVENT = 4, /* `thread` receives an event; argument: number of its lowest bit */
	LIMPET_TRACE_FAULT = 5, /* argument: the vector, or LIMPET_FAULT_... */
	LIMPET_TRACE_TIMER = 6, /* the CPU's timer has expired */
	LIMPET_TRACE_RESUME = 7, /* the CPU switches from Linux; argument: the thread's depth */
	LIMPET_TRACE_PAUSE =
		8, /* it switches to Linux; argument: LIMPET_REASON_..., 0: an interrupt */
	LIMPET_TRACE_CALL = 9, /* a kernel call; argument: LIMPET_CALL_... */
	/*
	 * An executive gets a system call of a guest, and its result. `thread` is the handler thread in the executive
	 * `component`. Argument: Linux's number of the call, or LIMPET_GUEST_FILTER_REST for all higher numbers.
	 */
	LIMPET_TRACE_GUEST_CALL = 10,
	LIMPET_TRACE_GUEST_RESULT = 11,
	LIMPET_TRACE_KINDS = 12
};

/* Sets of kinds: bit n is kind n. START is always recorded. */
#define LIMPET_TRACE_ALL ((1u << LIMPET_TRACE_KINDS) - 2)
#define LIMPET_TRACE_USUAL (LIMPET_TRACE_ALL & ~(1u << LIMPET_TRACE_CALL))

#define LIMPET_TRACE_NONE 0xffffu /* the thread or component is unknown */

struct limpet_trace_event {
	uint64_t time;	/* ticks */
	uint32_t where; /* low 16 bits: component, high 16 bits: argument */
	uint32_t what;	/* low 16 bits: thread, high 16 bits: kind */
};

#endif
