/* SPDX-License-Identifier: GPL-2.0 */
/* Offsets and constants of guest.S. Only offsets.c includes this file. */
#ifndef ENTRY_GUEST_OFFSETS_H
#define ENTRY_GUEST_OFFSETS_H

#define GUEST(name, member) DEFINE(GUEST_##name, offsetof(struct guest, member))

static inline __attribute__((always_inline)) void guest_offsets(void)
{
	ENTRY(GUEST, guest);
	ENTRY(FILTER, filter);
	ENTRY(FILTER_LAST, filter[LIMPET_GUEST_CALL_WORDS - 1]);
	DEFINE(CALLS_LSTAR, offsetof(struct entry_calls, lstar));
	DEFINE(CALLS_CSTAR, offsetof(struct entry_calls, cstar));
	DEFINE(INSIDE_GUEST, INSIDE_GUEST);
	DEFINE(INSIDE_RESULT, INSIDE_RESULT);
	DEFINE(EVENT_RESULT, (LIMPET_GUEST_EVENT(LIMPET_GUEST_RESULT, 0) -
			      LIMPET_GUEST_EVENT(LIMPET_GUEST_CALL, 0)) >>
				     32);
	DEFINE(FILTER_REST, LIMPET_GUEST_FILTER_REST);
	DEFINE(CALL_GUEST_ANSWER, LIMPET_CALL(LIMPET_CALL_GUEST_ANSWER));
	DEFINE(ENOSYS, 38);
	DEFINE(STOP_MOVE, ENTRY_MOVE);
	DEFINE(STOP_INTERRUPTED, ENTRY_INTERRUPTED);
	DEFINE(STOP_NEW, ENTRY_NEW);
	DEFINE(WAY_GUEST, ENTRY_TO_GUEST);
	DEFINE(WAY_HOST, ENTRY_TO_HOST);
	DEFINE(WAY_TASK, ENTRY_TO_TASK);
	DEFINE(WAY_FRAME, ENTRY_TO_FRAME);
	DEFINE(WAY_EXECUTIVE, ENTRY_TO_EXECUTIVE);
	GUEST(BX, regs.bx);
	GUEST(BP, regs.bp);
	GUEST(R12, regs.r12);
	GUEST(R13, regs.r13);
	GUEST(R14, regs.r14);
	GUEST(R15, regs.r15);
	GUEST(AX, regs.ax);
	GUEST(IP, regs.ip);
	GUEST(SP, regs.sp);
	GUEST(FLAGS, regs.flags);
	GUEST(DX, regs.dx);
	GUEST(SI, regs.si);
	GUEST(DI, regs.di);
	GUEST(R8, regs.r8);
	GUEST(R9, regs.r9);
	GUEST(R10, regs.r10);
	GUEST(EVENT, event);
	GUEST(RESULT, result);
	GUEST(EXPECTED, expected);
	GUEST(CHANGED, changed);
	GUEST(THREAD, thread);
	GUEST(STACK, hal.stack);
	GUEST(FRAME, hal.frame);
	GUEST(BOTTOM, hal.bottom);
}

#endif
