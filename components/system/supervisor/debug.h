/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Debugs a supervised component for `limpet debug`. A thread stops by a fault: PT_HOLD makes all code of the component
 * fault, a breakpoint is an INT3 instruction, and a single step sets the trap flag. The thread waits in its handler,
 * here, and the interface's functions read and change what it has stored. It continues when the handler returns.
 *
 * No lock is needed. A thread owns its entry of `stop` until it waits. Then only the interface's functions change the
 * entry.
 */
#ifndef DEBUG_H
#define DEBUG_H

#include "supervisor.h"

#define DEBUG_STOPS 32 /* stopped threads that can be examined; further threads are only stopped */
#define DEBUG_BREAKPOINTS 64
#define DEBUG_LEASE_MS 5000 /* a session without a call for this time ends */
#define DEBUG_HELD 512	    /* `kind` of a thread that was stopped by attach or stop */
#define DEBUG_REGISTERS 18
#define DEBUG_IP 16
#define DEBUG_FLAGS 17
#define DEBUG_TRAP 0x100ul /* bit in the flags */

/* The next action of a stopped thread. */
enum debug_how { HOW_CONTINUE, HOW_STEP, HOW_CRASH };

enum stop_state { STOP_FREE, STOP_TAKEN, STOP_WAITS, STOP_GOES };

/* A stopped thread. */
struct stop {
	uint8_t state, how;
	uint32_t thread;
	word kind;	  /* kind of the fault, or DEBUG_HELD */
	uint32_t changed; /* bit n: register n must be written */
	word registers[DEBUG_REGISTERS];
};

struct breakpoint {
	word address;  /* 0: unused */
	uint8_t byte;  /* the byte that the breakpoint replaces */
	bool internal; /* ends a step over a system call */
};

struct debug {
	struct supervised *of; /* NULL: no session */
	word badge;	       /* badge of the caller that has the session */
	uint32_t session;      /* changes with each attach and detach */
	uint32_t busy;	       /* calls in progress */
	bool held;	       /* threads stop when they continue in the component */
	bool loose;	       /* code can be executed despite `held`: one thread continues alone */
	uint32_t event;	       /* 1 + id of the thread that stopped the others, or 0 */
	uint32_t stepping;     /* id of the thread with the trap flag, or 0 */
	uint64_t lease;	       /* time at which the session ends */
	struct stop stop[DEBUG_STOPS];
	struct breakpoint breakpoint[DEBUG_BREAKPOINTS];
};

/* debug_memory.c: the session's state, memory and breakpoints. */
extern struct debug debug;

/* Returns whether a component is being debugged. Its heartbeat is then not checked. */
bool debug_has(const struct supervised *supervised);
/*
 * Makes the component's code executable or not, depending on `held` and `loose`, which other threads may change
 * meanwhile.
 */
void space_update(const struct supervised *supervised);
/* Reads three words as MEMORY_READ does, without breakpoints. Returns its status. */
long words_read(const struct supervised *supervised, word address, struct limpet_out *out);
/* Writes a byte, or the byte under a breakpoint. Returns the status of MEMORY_WRITE. */
long byte_write(const struct supervised *supervised, word address, uint8_t byte);
/* Returns whether the component's memory has an INT3 instruction at an address. */
bool trap_at(const struct supervised *supervised, word address);
/* Returns the breakpoint at an address, or NULL. */
struct breakpoint *breakpoint_at(word address);
/* Sets a breakpoint. Returns LIMPET_OK also if the address already has one. */
long breakpoint_insert(const struct supervised *supervised, word address, bool internal);
/* Removes all breakpoints, or the internal ones. */
void breakpoints_remove(const struct supervised *supervised, bool internal);
void breakpoint_remove(const struct supervised *supervised, struct breakpoint *breakpoint);

/* debug_stop.c: the handling of a fault while a component is debugged. */
#define DEBUG_NOT_OURS 1
/*
 * Handles a fault that concerns the debugger. The calling thread waits while it is stopped. Returns the handler's
 * status, or DEBUG_NOT_OURS if the fault is a crash.
 */
long debug_fault(const struct supervised *supervised, const struct crash *crash);

/* debug.c: the interface's functions. */
/* Ends an expired session. Called by the supervisor's own thread. Returns the time of the next call. */
uint64_t debug_check(uint64_t now);

#endif
