// SPDX-License-Identifier: BSD-2-Clause
/*
 * Makes the calls one by one, and checks all guarantees of the ABI for registers after each. Calls that only end the
 * test itself are skipped until the end: waiting forever, deleting the gates to the console, exiting, and returning
 * without a caller.
 */
#include <runtime/kernel_call.h>
#include <runtime/print.h>
#include <runtime/time.h>

#include <import/pong.h>
#include <import/sched.h>

#include "../../lib/adversary.h"
#include "../../lib/lab.h"

#define FLAGS 0x202ul
#define ERROR_MIN LIMPET_EINTR
#define COMPLAINTS 8

/* Returns the slot of a gate. */
#define SLOT(name)                                                                                 \
	({                                                                                         \
		long import;                                                                       \
		asm("movq $__limpet_import_" #name ", %0" : "=r"(import));                         \
		(word)(-1 - import);                                                               \
	})

static unsigned int complaints;
static uint64_t calls;
static word imports_end; /* slots */

static void complain(const char *name, const struct call *call, word value)
{
	if (complaints++ < COMPLAINTS)
		lab_fail(name, "%lx; call %ld (%lx %lx %lx %lx %lx %lx), the %luth", value,
			 call->rax, call->words[0], call->words[1], call->words[2], call->words[3],
			 call->words[4], call->words[5], calls);
}

/* The imports are log, pong and sched, in this order. */
static bool log_slot(word slot)
{
	return slot >= LIMPET_SLOT_FIRST && slot < SLOT(pong_call0);
}

static bool sched_slot(word slot)
{
	return slot >= SLOT(sched_block) && slot < imports_end;
}

/* Returns whether an invocation of the scheduler does not return, or not soon. */
static bool sched_waits(word slot)
{
	return slot != SLOT(sched_wake) && slot != SLOT(sched_yield) &&
	       slot != SLOT(sched_sleep_until) && slot != SLOT(sched_block_until) &&
	       slot != SLOT(sched_periodic) && slot != SLOT(sched_thread_id);
}

static bool harmful_invocation(struct call *call, word slot)
{
	if (log_slot(slot)) /* would print endless random lines */
		return true;
	if (!sched_slot(slot))
		return false;
	if (call->words[0] > limpet_time()) /* no long waits */
		call->words[0] %= limpet_time();
	return sched_waits(slot);
}

static bool harmful_call(struct call *call, word op)
{
	const word *w = call->words;

	switch (op) {
	case LIMPET_CALL_RETURN:
		return true;
	case LIMPET_CALL_ENDPOINT_RECEIVE:
		call->words[2] |= LIMPET_NOWAIT;
		return false;
	case LIMPET_CALL_CAP_COPY: /* the test would not recognise a gate in another slot */
	case LIMPET_CALL_CAP_MOVE:
		return log_slot(w[1]) || sched_slot(w[1]);
	case LIMPET_CALL_CAP_DELETE:
		return log_slot(w[1]);
	case LIMPET_CALL_GUEST_SERVE: /* otherwise it may not return */
		call->words[0] |= LIMPET_USER_END;
		return false;
	}
	return false;
}

static bool harmful(struct call *call)
{
	const word slot = (word)(-1 - call->rax), op = (word)(-4096 - call->rax);

	if (call->rax >= 0)
		return true;
	return slot < 4095 ? harmful_invocation(call, slot) : harmful_call(call, op);
}

static void check(const struct call *call, const struct after *a)
{
	long status = (long)a->rax;

	if (status < ERROR_MIN)
		complain("a status that is no error", call, a->rax);
	if (a->rdx | a->rsi | a->rdi | a->r8 | a->r9 | a->r10)
		complain("a register was not cleared", call,
			 a->rdx | a->rsi | a->rdi | a->r8 | a->r9 | a->r10);
	if (a->r11 != FLAGS || a->flags != FLAGS)
		complain("flags came back", call, a->flags);
	if (call->rax <= LIMPET_CALL(0) &&
	    (a->r13 != call->words[3] || a->r14 != call->words[4] || a->r15 != call->words[5]))
		complain("a register was not kept", call, a->r13);
	if (status < 0 && call->rax <= LIMPET_CALL(0) &&
	    (a->rbx != call->words[0] || a->rbp != call->words[1] || a->r12 != call->words[2]))
		complain("a refused call changed a word", call, a->rbx);
}

static word imports_find(void)
{
	struct limpet_out out;
	word slot = LIMPET_SLOT_FIRST;

	while (!limpet_call_cap_info(LIMPET_SLOT_TABLE, slot, &out))
		slot++;
	return slot;
}

void component_main(const struct limpet_info *info)
{
	word rounds = (word)limpet_arg_number(info, "rounds", 150000);
	struct adversary adversary = {
		.state = (word)limpet_arg_number(info, "seed", 1),
		.given_end = LIMPET_SLOT_FREE,
		.slots = { [LIMPET_TABLE] = { LIMPET_SLOT_FREE, 2, LIMPET_SLOT_TABLE },
			   [LIMPET_ENDPOINT] = { LIMPET_SLOT_FREE + 2, 2, LIMPET_SLOT_ENDPOINT },
			   [LIMPET_GATE] = { LIMPET_SLOT_FIRST, 16, 0 } },
	};

	imports_end = imports_find();
	adversary.slots_end = imports_end + 2;
	while (calls < rounds) {
		struct call call = adversary_call(&adversary);
		struct after after;

		if (harmful(&call))
			continue;
		calls++;
		lab_syscall(call.rax, call.words, &after);
		check(&call, &after);
	}
	limpet_print("%lu calls, seed %ld\n", calls, limpet_arg_number(info, "seed", 1));
	if (!complaints)
		lab_pass("every call ends in a status, and changes no register but its own");
	lab_done();
	limpet_call_2(LIMPET_CALL(LIMPET_CALL_RETURN), 0, 0);
	lab_fail("RETURN with nothing to return to", "came back");
}
