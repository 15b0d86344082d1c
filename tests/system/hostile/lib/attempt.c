// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/kernel_call.h>
#include <runtime/memory.h>

#include <export/pong.h>

#include "attempt.h"
#include "guarded.h"

#define VICTIM_INDEX 100u
#define SERVER_INDEX 101u
#define HANDLER_INDEX 102u
#define COMPLAINTS 12
#define FLAGS 0x202ul
#define RETRIES 20

extern const unsigned char attempt_trailer[], attempt_trailer_end[];
extern const unsigned char server_code[], server_code_end[];
extern const unsigned char handler_code[], handler_code_end[];

struct domain victim, server;
uint64_t attempt_faults;
static struct domain handler;
static unsigned int complaints;
static struct guarded guarded;
static uint64_t stops; /* counted by the guard */

/* Resets the vector registers and their control, which belong to the thread and keep the victim's values. */
static void vectors_reset(void)
{
	const uint32_t mxcsr = 0x1f80;

	asm volatile("fninit\n\tldmxcsr %0" : : "m"(mxcsr));
}

void attempt_setup(void)
{
	domain_make(&handler, HANDLER_INDEX);
	domain_make(&server, SERVER_INDEX);
	domain_make(&victim, VICTIM_INDEX);
	domain_write(&handler, 0, handler_code, (size_t)(handler_code_end - handler_code));
	domain_write(&server, 0, server_code, (size_t)(server_code_end - server_code));
	domain_handler(&victim, &handler);
	domain_handler(&server, &handler);
	domain_give(&victim, server.gate, DOMAIN_SLOT_GATE, LIMPET_ALL);
}

void attempt_code(const unsigned char *start, const unsigned char *end)
{
	domain_write(&victim, 0, start, (size_t)(end - start));
	domain_write(&victim, (word)(end - start), attempt_trailer,
		     (size_t)(attempt_trailer_end - attempt_trailer));
}

void complain(const char *name, const struct outcome *o, const char *what)
{
	if (complaints++ < COMPLAINTS)
		lab_fail(name,
			 "%s; outcome %u, status %ld, fault %lu of %lu at %lx, error %lx, "
			 "address %lx, attempt %lu",
			 what, o->kind, o->status, o->fault.kind, o->fault.index, o->fault.ip,
			 o->fault.error, o->fault.address, guarded.number);
}

void group_end(const char *name)
{
	if (!complaints)
		lab_pass(name);
	else if (complaints > COMPLAINTS)
		lab_fail(name, "%u more complaints", complaints - COMPLAINTS);
	complaints = 0;
}

static unsigned int kind_of(const struct outcome *o)
{
	if (!o->fault.count)
		return o->status == OUTCOME_DONE    ? OUT_DONE
		       : o->status == LIMPET_ECRASH ? OUT_STOPPED
						    : OUT_STATUS;
	if (o->fault.kind < 32)
		return (unsigned int)o->fault.kind;
	return o->fault.kind == LIMPET_FAULT_SYSCALL ? OUT_SYSCALL : OUT_MODE;
}

static void check_fault(const char *name, const struct outcome *o)
{
	if (o->fault.count != 1)
		complain(name, o, "not one fault");
	if (o->fault.index != VICTIM_INDEX)
		complain(name, o, "a fault of another component");
	if (o->fault.thread != limpet_info()->thread)
		complain(name, o, "a fault of another thread");
	if (o->fault.flags != FLAGS)
		complain(name, o, "the handler sees flags");
	if (o->status != LIMPET_ECRASH)
		complain(name, o, "no ECRASH after a fault");
}

/* Checks the ABI's guarantees for every return: no register contains a value of another component. */
static void check_after(const char *name, const struct outcome *o, const struct after *a)
{
	if (a->rdx | a->rsi | a->rdi | a->r8 | a->r9 | a->r10)
		complain(name, o, "a register was not cleared");
	if (a->r11 != FLAGS || a->flags != FLAGS)
		complain(name, o, "flags came back");
	if (o->fault.count && (a->rbx | a->rbp | a->r12 | a->r13 | a->r14 | a->r15))
		complain(name, o, "a word came back from a crash");
}

struct outcome attempt(const char *name, const word words[6])
{
	struct outcome o;
	struct after after;

	memset(handler.data, 0, sizeof(o.fault));
	guarded_begin(&guarded);
	o.status = lab_syscall(LIMPET_INVOKE(victim.gate), words, &after);
	guarded_end(&guarded);
	vectors_reset();
	memcpy(&o.fault, handler.data, sizeof(o.fault));
	o.kind = kind_of(&o);
	attempt_faults += o.fault.count;
	if (o.fault.count)
		check_fault(name, &o);
	check_after(name, &o, &after);
	return o;
}

/*
 * Returns whether to repeat the attempt. In 32-bit code an interrupt ends it, independent of its next instruction. On a
 * slow machine the guard may mistake any code for a loop.
 */
static bool unlucky(const struct outcome *o, word allowed)
{
	if (o->kind == OUT_STOPPED)
		return !(allowed >> OUT_STOPPED & 1);
	return o->kind == OUT_MODE && allowed & ~(1ul << OUT_MODE);
}

bool attempt_check(const char *name, const word words[6], word allowed, struct outcome *outcome)
{
	struct outcome o;
	unsigned int tries = 0;

	do {
		uint64_t before = __atomic_load_n(&stops, __ATOMIC_SEQ_CST);

		o = attempt(name, words);
		if (o.kind == OUT_STOPPED && __atomic_load_n(&stops, __ATOMIC_SEQ_CST) == before)
			complain(name, &o, "it was not stopped");
	} while (unlucky(&o, allowed) && ++tries < RETRIES);
	if (!(allowed >> o.kind & 1))
		complain(name, &o, "this must not be the outcome");
	if (outcome)
		*outcome = o;
	return allowed >> o.kind & 1;
}

/* Called by the guard. Stops the victim if the same attempt ran at the last call. */
long pong_serve_call0(word badge)
{
	(void)badge;
	if (!guarded_stuck(&guarded))
		return LIMPET_OK;
	__atomic_fetch_add(&stops, 1, __ATOMIC_SEQ_CST);
	return limpet_call_component_stop(victim.component);
}
