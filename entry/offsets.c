// SPDX-License-Identifier: GPL-2.0
/* Offsets for the assembly files: the build turns each line of output into a #define. */
#include <entry/guest.h>
#include <limpet/call.h>

#define DEFINE(name, value) asm volatile("\n->" #name " %0" : : "i"(value))
#define ENTRY(name, member) DEFINE(ENTRY_##name, offsetof(struct entry_cpu, member))
#define REG(name, member) DEFINE(REG_##name, offsetof(struct thread, regs.member))

#include <entry/guest_offsets.h>

void offsets(void);
void offsets(void)
{
	ENTRY(USER_SP, user_sp);
	ENTRY(SCRATCH, scratch);
	ENTRY(INSIDE, inside);
	ENTRY(STACK, stack);
	ENTRY(CPU, cpu);
	ENTRY(SELF, self);
	ENTRY(SPACE, space);
	ENTRY(HOST_SP, host_sp);
	DEFINE(TRACE_PATH_PLAIN, TRACE_PATH_PLAIN);
	DEFINE(CPU_THREAD, offsetof(struct cpu, thread));
	DEFINE(CPU_RET, offsetof(struct cpu, ret));
	DEFINE(CPU_PENDING, offsetof(struct cpu, host.pending));
	DEFINE(CPU_INTERRUPTED, offsetof(struct cpu, interrupted));
	DEFINE(CPU_BARRIERS, offsetof(struct cpu, barriers));
	DEFINE(HAL_BARRIER_BIT, HAL_BARRIER_BIT);
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
	guest_offsets();
	DEFINE(FAULT_SYSCALL, LIMPET_FAULT_SYSCALL);
	/* The values of <limpet/call.h> after `not rax`. */
	DEFINE(NOT_RETURN, ~LIMPET_CALL(LIMPET_CALL_RETURN));
	DEFINE(NOT_CALL, ~LIMPET_CALL(0));
}
