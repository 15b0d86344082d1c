// SPDX-License-Identifier: BSD-2-Clause
/* Implements interface debug. Its functions run on the thread of the instance of `calls` that has the session. */
#include <runtime/time.h>

#include <export/debug.h>
#include <import/sched.h>

#include "debug.h"

#define SYSCALL 0x050ful /* the instruction's two bytes */
#define SYSCALL_SIZE 2
#define PATIENCE 10 /* leases after which a call in progress does not keep the session */

/* Wakes all threads that wait here. Each one checks whether it may continue. */
static void all_resume(const struct supervised *supervised)
{
	space_update(supervised);
	sched_resume_all((word)&debug);
}

static void session_end(void)
{
	struct supervised *supervised = debug.of;

	breakpoints_remove(supervised, false);
	debug.loose = false;
	__atomic_store_n(&debug.held, false, __ATOMIC_RELEASE);
	__atomic_store_n(&debug.of, NULL, __ATOMIC_RELEASE);
	__atomic_fetch_add(&debug.session, 1, __ATOMIC_RELEASE);
	__atomic_store_n(&supervised->last_heartbeat, limpet_time(), __ATOMIC_RELAXED);
	all_resume(supervised);
}

uint64_t debug_check(uint64_t now)
{
	if (!debug.of)
		return LIMPET_NEVER;
	if (now < debug.lease)
		return debug.lease;
	if (__atomic_load_n(&debug.busy, __ATOMIC_ACQUIRE) &&
	    now < debug.lease + PATIENCE * DEBUG_LEASE_MS * supervisor.ms)
		return now + DEBUG_LEASE_MS * supervisor.ms;
	session_end();
	return LIMPET_NEVER;
}

/* Ends a call. An attach may have set the number to its own call meanwhile, so the number can already be zero. */
static void call_end(void)
{
	uint32_t busy = __atomic_load_n(&debug.busy, __ATOMIC_RELAXED);

	while (busy && !__atomic_compare_exchange_n(&debug.busy, &busy, busy - 1, false,
						    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

/* Renews the caller's session, which then cannot expire before session_leave(). Returns its component, or NULL. */
static struct supervised *session_enter(word badge)
{
	__atomic_fetch_add(&debug.busy, 1, __ATOMIC_ACQUIRE);
	if (!debug.of || debug.badge != badge) {
		call_end();
		return NULL;
	}
	debug.lease = limpet_time() + DEBUG_LEASE_MS * supervisor.ms;
	return debug.of;
}

static long session_leave(long status)
{
	call_end();
	return status;
}

/* Returns the entry of a thread that is stopped, or NULL. */
static struct stop *stop_of(word thread)
{
	for (struct stop *stop = debug.stop; stop < debug.stop + DEBUG_STOPS; stop++)
		if (__atomic_load_n(&stop->state, __ATOMIC_ACQUIRE) == STOP_WAITS &&
		    stop->thread == thread)
			return stop;
	return NULL;
}

/* Returns whether the supervisor can handle the component's faults while all its code is held. */
static bool can_debug(const struct supervised *supervised, word badge)
{
	const word component = supervised->info->component;
	const uint32_t parts = LIMPET_COMPONENT_SCHEDULER | LIMPET_COMPONENT_MEMORY |
			       LIMPET_COMPONENT_CONSOLE;

	return !supervised->closed && !(supervised->record->flags & parts) &&
	       supervised->record->faults != component && component + 1 != badge &&
	       component != supervisor.log && component != supervisor.keeper;
}

/* Starts a session. Ends the trial of a new build, because breakpoints change the code of the running build. */
static long attach(struct supervised *supervised, word badge)
{
	if (debug.of && debug.badge != badge)
		return LIMPET_EBUSY;
	__atomic_store_n(&supervised->trial_until, 0, __ATOMIC_SEQ_CST);
	if (supervised->claimed && !supervised->closed)
		return LIMPET_EBUSY;
	if (debug.of)
		session_end();
	__atomic_store_n(&debug.busy, 1, __ATOMIC_RELEASE); /* forgets calls that crashed */
	debug.badge = badge;
	debug.event = 0;
	debug.lease = limpet_time() + DEBUG_LEASE_MS * supervisor.ms;
	__atomic_fetch_add(&debug.session, 1, __ATOMIC_RELEASE);
	debug.held = true;
	__atomic_store_n(&debug.of, supervised, __ATOMIC_RELEASE);
	space_update(supervised);
	check_now();
	return session_leave(LIMPET_OK);
}

long debug_serve_attach(word badge, word component)
{
	struct supervised *supervised = supervised_of(component);

	if (!supervised)
		return LIMPET_ENOENT;
	if (!can_debug(supervised, badge))
		return LIMPET_ESTATE;
	return update_lock() ? update_unlock(attach(supervised, badge)) : LIMPET_EBUSY;
}

long debug_serve_detach(word badge)
{
	if (!session_enter(badge))
		return LIMPET_ENOENT;
	session_end();
	return session_leave(LIMPET_OK);
}

long debug_serve_stop(word badge)
{
	struct supervised *supervised = session_enter(badge);

	if (!supervised)
		return LIMPET_ENOENT;
	debug.loose = false;
	debug.held = true;
	space_update(supervised);
	return session_leave(LIMPET_OK);
}

/* Prepares a single step. SYSCALL clears the trap flag, so a breakpoint after that instruction ends the step. */
static long step_prepare(const struct supervised *supervised, struct stop *stop)
{
	const word ip = stop->registers[DEBUG_IP];
	struct limpet_out out = { 0 };
	unsigned __int128 code;
	long status = words_read(supervised, ip & ~7ul, &out);

	if (status)
		return status;
	code = ((unsigned __int128)out.w1 << 64 | out.w0) >> 8 * (ip & 7);
	if ((code & 0xffff) == SYSCALL)
		return breakpoint_insert(supervised, ip + SYSCALL_SIZE, true);
	stop->registers[DEBUG_FLAGS] |= DEBUG_TRAP;
	stop->changed |= 1u << DEBUG_FLAGS;
	debug.stepping = stop->thread;
	return LIMPET_OK;
}

static void stop_release(struct stop *stop, enum debug_how how)
{
	stop->how = (uint8_t)how;
	__atomic_store_n(&stop->state, STOP_GOES, __ATOMIC_RELEASE);
}

/* Lets one thread continue while the others stay stopped. */
static long go_alone(struct supervised *supervised, struct stop *stop, word how)
{
	long status = how == HOW_STEP ? step_prepare(supervised, stop) : LIMPET_OK;

	if (status)
		return status;
	debug.event = 0;
	debug.loose = true;
	stop_release(stop, how);
	all_resume(supervised);
	return LIMPET_OK;
}

static void go_all(struct supervised *supervised, const struct stop *crashed)
{
	debug.event = 0;
	debug.loose = false;
	__atomic_store_n(&debug.held, false, __ATOMIC_RELEASE);
	for (struct stop *stop = debug.stop; stop < debug.stop + DEBUG_STOPS; stop++)
		if (__atomic_load_n(&stop->state, __ATOMIC_ACQUIRE) == STOP_WAITS)
			stop_release(stop, stop == crashed ? HOW_CRASH : HOW_CONTINUE);
	all_resume(supervised);
}

long debug_serve_go(word badge, word thread, word how)
{
	struct supervised *supervised = session_enter(badge);
	struct stop *stop = stop_of(thread);

	if (!supervised)
		return LIMPET_ENOENT;
	if (how > HOW_CRASH || (how == HOW_STEP && !thread))
		return session_leave(LIMPET_ERANGE);
	if (thread && !stop)
		return session_leave(LIMPET_ENOENT);
	if (thread && how != HOW_CRASH)
		return session_leave(go_alone(supervised, stop, how));
	go_all(supervised, stop);
	return session_leave(LIMPET_OK);
}

long debug_serve_state(word badge, struct debug_state_results *out)
{
	if (!session_enter(badge))
		return LIMPET_ENOENT;
	out->thread = debug.event;
	return session_leave(debug.held && !debug.loose);
}

static bool thread_lives(word id)
{
	struct limpet_out out = { .w2 = LIMPET_THREAD_DEAD };

	limpet_call_thread_info(LIMPET_SLOT_THREADS + id, &out);
	return out.w2 == LIMPET_THREAD_READY || out.w2 == LIMPET_THREAD_WAITING;
}

/* Returns the smallest id of the component's own threads that is greater than `after`, or LIMPET_THREADS_MAX. */
static word own_next(const struct limpet_info_supervised *info, word after)
{
	if (info->thread > after && thread_lives(info->thread))
		return info->thread;
	for (word id = info->spare; id < info->spare + info->spares; id++)
		if (id > after && thread_lives(id))
			return id;
	return LIMPET_THREADS_MAX;
}

long debug_serve_next(word badge, word thread, struct debug_next_results *out)
{
	struct supervised *supervised = session_enter(badge);
	struct stop *found;
	word best;

	if (!supervised)
		return LIMPET_ENOENT;
	best = own_next(supervised->info, thread);
	for (struct stop *stop = debug.stop; stop < debug.stop + DEBUG_STOPS; stop++)
		if (__atomic_load_n(&stop->state, __ATOMIC_ACQUIRE) == STOP_WAITS &&
		    stop->thread > thread && stop->thread < best)
			best = stop->thread;
	if (best == LIMPET_THREADS_MAX)
		return session_leave(LIMPET_ENOENT);
	found = stop_of(best);
	out->stopped = found != NULL;
	out->kind = found ? found->kind : 0;
	return session_leave((long)best);
}

long debug_serve_registers(word badge, word thread, word what, struct debug_registers_results *out)
{
	struct stop *stop;

	if (!session_enter(badge))
		return LIMPET_ENOENT;
	stop = stop_of(thread);
	if (!stop || what >= LIMPET_FAULT_REGISTERS)
		return session_leave(stop ? LIMPET_ERANGE : LIMPET_ENOENT);
	out->a = stop->registers[what * 3];
	out->b = stop->registers[what * 3 + 1];
	out->c = stop->registers[what * 3 + 2];
	return session_leave(LIMPET_OK);
}

long debug_serve_set(word badge, word thread, word number, word value)
{
	struct stop *stop;

	if (!session_enter(badge))
		return LIMPET_ENOENT;
	stop = stop_of(thread);
	if (!stop)
		return session_leave(LIMPET_ENOENT);
	if (number >= DEBUG_REGISTERS || (number == DEBUG_IP && value >= LIMPET_USER_END))
		return session_leave(LIMPET_ERANGE);
	stop->registers[number] = number == DEBUG_FLAGS ? value & ~DEBUG_TRAP : value;
	stop->changed |= 1u << number;
	return session_leave(LIMPET_OK);
}

long debug_serve_read(word badge, word address, struct debug_read_results *out)
{
	struct supervised *supervised = session_enter(badge);
	struct limpet_out words = { 0 };
	long status;

	if (!supervised)
		return LIMPET_ENOENT;
	status = words_read(supervised, address, &words);
	*out = (struct debug_read_results){ words.w0, words.w1, words.w2 };
	return session_leave(status);
}

long debug_serve_write(word badge, word address, word value)
{
	struct supervised *supervised = session_enter(badge);

	if (!supervised)
		return LIMPET_ENOENT;
	return session_leave(byte_write(supervised, address, (uint8_t)value));
}

long debug_serve_insert(word badge, word address)
{
	struct supervised *supervised = session_enter(badge);

	if (!supervised)
		return LIMPET_ENOENT;
	if (!code_at(supervised->info->component, address))
		return session_leave(LIMPET_ERANGE);
	return session_leave(breakpoint_insert(supervised, address, false));
}

long debug_serve_remove(word badge, word address)
{
	struct supervised *supervised = session_enter(badge);
	struct breakpoint *breakpoint = breakpoint_at(address);

	if (!supervised)
		return LIMPET_ENOENT;
	if (!breakpoint)
		return session_leave(LIMPET_ENOENT);
	breakpoint_remove(supervised, breakpoint);
	return session_leave(LIMPET_OK);
}
