/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The trace: what the kernel has done, as LIMPET_IOC_TRACE gives it. Each CPU has a ring of such events;
 * who reads too slowly loses the oldest.
 */
#ifndef LIMPET_TRACE_H
#define LIMPET_TRACE_H

#include <stdint.h>

/* Kinds; `thread` is executing, in `component`, when nothing else is said. */
enum limpet_trace_kind {
	LIMPET_TRACE_START = 0, /* events are recorded from here on; argument: the thread's depth */
	LIMPET_TRACE_DISPATCH = 1, /* a switch to the thread; argument: its depth of invocations */
	LIMPET_TRACE_INVOKE = 2,   /* it has entered the component, by a gate or a fault */
	LIMPET_TRACE_RETURN = 3,   /* it is back in the component */
	LIMPET_TRACE_EVENT =
		4, /* for the thread that receives; argument: the lowest bit's number */
	LIMPET_TRACE_FAULT = 5, /* argument: the vector, or LIMPET_FAULT_... */
	LIMPET_TRACE_TIMER = 6, /* the CPU's deadline was due */
	LIMPET_TRACE_RESUME =
		7, /* the host has given the CPU to components; argument: the thread's depth */
	LIMPET_TRACE_PAUSE = 8, /* it gets it back; argument: LIMPET_REASON_..., 0: an interrupt */
	LIMPET_TRACE_CALL = 9,	/* a kernel call; argument: LIMPET_CALL_... */
	LIMPET_TRACE_KINDS = 10
};

/* Bits of a choice of kinds. START is always recorded. */
#define LIMPET_TRACE_ALL ((1u << LIMPET_TRACE_KINDS) - 2)
#define LIMPET_TRACE_USUAL (LIMPET_TRACE_ALL & ~(1u << LIMPET_TRACE_CALL))

#define LIMPET_TRACE_NONE 0xffffu /* no thread, no component that anybody knows */

struct limpet_trace_event {
	uint64_t time;	/* ticks */
	uint32_t where; /* component, argument: 16 bits each, the lower first */
	uint32_t what;	/* thread, kind: the same */
};

#endif
