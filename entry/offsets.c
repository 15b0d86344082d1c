// SPDX-License-Identifier: GPL-2.0
/* Offsets for the assembly files: the build turns each line of output into a #define. */
#include <entry/entry.h>
#include <limpet/call.h>

#define DEFINE(name, value) asm volatile("\n->" #name " %0" : : "i"(value))
#define ENTRY(name, member) DEFINE(ENTRY_##name, offsetof(struct entry_cpu, member))
#define GUEST(name, member) DEFINE(GUEST_##name, offsetof(struct guest, member))
#define REG(name, member) DEFINE(REG_##name, offsetof(struct thread, regs.member))

void offsets(void);
void offsets(void)
{
	ENTRY(USER_SP, user_sp);
	ENTRY(SCRATCH, scratch);
	ENTRY(INSIDE, inside);
	ENTRY(STACK, stack);
	ENTRY(CPU, cpu);
	ENTRY(SELF, self);
	ENTRY(RESUME_IP, resume_ip);
	ENTRY(PARK_IP, park_ip);
	ENTRY(HOST_SP, host_sp);
	ENTRY(HOST_FLAGS, host_flags);
	ENTRY(INTERRUPTED, interrupted);
	DEFINE(TRACE_PATH_PLAIN, TRACE_PATH_PLAIN);
	DEFINE(CPU_THREAD, offsetof(struct cpu, thread));
	DEFINE(CPU_RET, offsetof(struct cpu, ret));
	DEFINE(CPU_PENDING, offsetof(struct cpu, host.pending));
	REG(BX, bx);
	REG(BP, bp);
	REG(R12, r12);
	REG(R13, r13);
	REG(R14, r14);
	REG(R15, r15);
	REG(AX, ax);
	REG(IP, ip);
	REG(SP, sp);
	REG(FLAGS, flags);
	REG(CX, cx);
	REG(DX, dx);
	REG(SI, si);
	REG(DI, di);
	REG(R8, r8);
	REG(R9, r9);
	REG(R10, r10);
	REG(R11, r11);
	REG(CS, cs);
	REG(FULL, full);
	ENTRY(GUEST, guest);
	ENTRY(FILTER, filter);
	ENTRY(FILTER_LAST, filter[LIMPET_GUEST_FILTER_WORDS - 1]);
	DEFINE(INSIDE_GUEST, INSIDE_GUEST);
	DEFINE(INSIDE_RESULT, INSIDE_RESULT);
	DEFINE(EVENT_RESULT, (LIMPET_GUEST_EVENT(LIMPET_GUEST_RESULT, 0) -
			      LIMPET_GUEST_EVENT(LIMPET_GUEST_CALL, 0)) >> 32);
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
	DEFINE(FAULT_SYSCALL, LIMPET_FAULT_SYSCALL);
	/* What `not rax` makes of the values of <limpet/call.h>. */
	DEFINE(NOT_RETURN, ~LIMPET_CALL(LIMPET_CALL_RETURN));
	DEFINE(NOT_CALL, ~LIMPET_CALL(0));
}
