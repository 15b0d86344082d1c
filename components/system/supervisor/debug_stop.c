// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/time.h>

#include <image/fault.h>
#include <import/sched.h>

#include "debug.h"

#define FAULT_DEBUG 1
#define FAULT_BREAKPOINT 3

static word component_of(const struct supervised *supervised)
{
	return LIMPET_SLOT_COMPONENTS + supervised->info->component;
}

/* Returns the number of times that the component was stopped. */
static word life_of(const struct supervised *supervised)
{
	struct limpet_out out = { 0 };

	limpet_call_cap_info(LIMPET_SLOT_TABLE, component_of(supervised), &out);
	return out.w2;
}

static void registers_take(const struct supervised *supervised, struct stop *stop)
{
	struct limpet_out out = { 0 };

	for (word what = 0; what < LIMPET_FAULT_REGISTERS; what++) {
		limpet_call_fault_read(component_of(supervised), what, &out);
		stop->registers[what * 3] = out.w0;
		stop->registers[what * 3 + 1] = out.w1;
		stop->registers[what * 3 + 2] = out.w2;
	}
	stop->changed = stop->registers[DEBUG_FLAGS] & DEBUG_TRAP ? 1u << DEBUG_FLAGS : 0;
	stop->registers[DEBUG_FLAGS] &= ~DEBUG_TRAP;
}

/* Allocates and fills an entry for the calling thread. Returns NULL if all are in use. */
static struct stop *stop_take(const struct supervised *supervised, word kind)
{
	for (struct stop *stop = debug.stop; stop < debug.stop + DEBUG_STOPS; stop++) {
		uint8_t unused = STOP_FREE;

		if (!__atomic_compare_exchange_n(&stop->state, &unused, STOP_TAKEN, false,
						 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		stop->thread = limpet_thread_id();
		stop->kind = kind;
		registers_take(supervised, stop);
		__atomic_store_n(&stop->state, STOP_WAITS, __ATOMIC_RELEASE);
		return stop;
	}
	return NULL;
}

/* Sets the registers that were changed, and frees the entry. Returns what the thread does next. */
static enum debug_how stop_end(const struct supervised *supervised, struct stop *stop)
{
	enum debug_how how = stop->how;

	for (word n = 0; n < DEBUG_REGISTERS; n++)
		if (stop->changed >> n & 1)
			limpet_call_fault_write(component_of(supervised), n, stop->registers[n]);
	__atomic_store_n(&stop->state, STOP_FREE, __ATOMIC_RELEASE);
	return how;
}

/*
 * Waits until the thread may continue. `crash`: the fault is a crash without a debugger. Returns the same as
 * debug_fault().
 */
static long stop_wait(const struct supervised *supervised, struct stop *stop, uint32_t session,
		      bool crash)
{
	const word life = life_of(supervised);
	enum debug_how how;

	for (;;) {
		const uint64_t since = limpet_time();

		if (__atomic_load_n(&debug.session, __ATOMIC_ACQUIRE) != session ||
		    (stop ? __atomic_load_n(&stop->state, __ATOMIC_ACQUIRE) == STOP_GOES
			  : !__atomic_load_n(&debug.held, __ATOMIC_ACQUIRE)))
			break;
		if (life_of(supervised) != life ||
		    sched_suspend_on((word)&debug, since, 0, LIMPET_NEVER)) {
			if (stop)
				__atomic_store_n(&stop->state, STOP_FREE, __ATOMIC_RELEASE);
			return LIMPET_ECRASH;
		}
	}
	if (!stop)
		return LIMPET_OK;
	if (__atomic_load_n(&stop->state, __ATOMIC_ACQUIRE) != STOP_GOES)
		stop->how = crash ? HOW_CRASH : HOW_CONTINUE;
	how = stop_end(supervised, stop);
	return how == HOW_CRASH && crash ? DEBUG_NOT_OURS : LIMPET_OK;
}

/* Stops all threads of the component, the calling one included. */
static long stop_all(const struct supervised *supervised, word kind, bool crash)
{
	const uint32_t session = __atomic_load_n(&debug.session, __ATOMIC_ACQUIRE);
	struct stop *stop;

	if (debug.of != supervised)
		return crash ? DEBUG_NOT_OURS : LIMPET_OK;
	if (debug.stepping == limpet_thread_id())
		debug.stepping = 0;
	stop = stop_take(supervised, kind);
	if (stop && !debug.event)
		debug.event = 1 + stop->thread;
	debug.loose = false;
	__atomic_store_n(&debug.held, true, __ATOMIC_RELEASE);
	space_update(supervised);
	breakpoints_remove(supervised, true);
	return stop_wait(supervised, stop, session, crash);
}

/* Handles a fault caused by PT_HOLD, which may already be released. */
static long held(const struct supervised *supervised)
{
	const uint32_t session = __atomic_load_n(&debug.session, __ATOMIC_ACQUIRE);

	if (debug.of == supervised && __atomic_load_n(&debug.held, __ATOMIC_ACQUIRE))
		return stop_wait(supervised, stop_take(supervised, DEBUG_HELD), session, false);
	space_update(supervised);
	return LIMPET_OK;
}

/* Clears the trap flag of a thread whose session ended while it executed one instruction. */
static long step_forget(const struct supervised *supervised)
{
	struct limpet_out out = { 0 };

	debug.stepping = 0;
	limpet_call_fault_read(component_of(supervised), DEBUG_FLAGS / 3, &out);
	limpet_call_fault_write(component_of(supervised), DEBUG_FLAGS, out.w2 & ~DEBUG_TRAP);
	return LIMPET_OK;
}

/*
 * Handles an INT3, which leaves rip behind it. If the breakpoint was removed meanwhile, the original code is executed.
 */
static long breakpoint_hit(const struct supervised *supervised, word address)
{
	const bool ours = debug.of == supervised && breakpoint_at(address);
	bool internal;

	if (!ours && trap_at(supervised, address))
		return stop_all(supervised, FAULT_BREAKPOINT, true);
	limpet_call_fault_write(component_of(supervised), DEBUG_IP, address);
	if (!ours)
		return LIMPET_OK;
	internal = breakpoint_at(address)->internal;
	return stop_all(supervised, internal ? FAULT_DEBUG : FAULT_BREAKPOINT, false);
}

long debug_fault(const struct supervised *supervised, const struct crash *crash)
{
	const bool step = crash->kind == FAULT_DEBUG && debug.stepping == limpet_thread_id();

	if (crash->kind == FAULT_PAGE && crash->code & FAULT_CODE_FETCH &&
	    code_at(supervised->info->component, crash->ip) &&
	    code_at(supervised->info->component, crash->address))
		return held(supervised);
	if (crash->kind == FAULT_BREAKPOINT)
		return breakpoint_hit(supervised, crash->ip - 1);
	if (step && debug.of != supervised)
		return step_forget(supervised);
	return stop_all(supervised, crash->kind, !step);
}
