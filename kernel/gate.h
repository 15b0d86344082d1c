/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Gates and invocations: the protected procedure call. A gate capability names a component, an entry
 * in it and a badge; to invoke it is to push a frame and go there.
 *
 * Called by the entry code with the six message registers still in place. The C calling convention
 * keeps all six (they are its callee-saved registers), so they cross without being stored.
 */
#ifndef KERNEL_GATE_H
#define KERNEL_GATE_H

#include <kernel/object.h>

/*
 * The current thread, about to continue at ip with stack pointer sp, invokes the gate in `slot`.
 * Returns where user level goes on: in the invoked component with cpu->ret = the badge, or back at
 * ip, sp with cpu->ret = LIMPET_ESLOT, LIMPET_ETYPE, LIMPET_EDEPTH, or LIMPET_ECRASH (the component
 * has no page table).
 */
struct user_return gate_invoke(struct cpu *cpu, word slot, word sp, word ip);
/*
 * The current thread returns from an invocation. Returns where user level goes on. ip = 0: not that
 * simple: the entry code saves the thread's registers and calls gate_return_slow.
 */
struct user_return gate_return(struct cpu *cpu);
/* The same while invocations are traced. */
struct user_return gate_invoke_traced(struct cpu *cpu, word slot, word sp, word ip);
struct user_return gate_return_traced(struct cpu *cpu);
/* `status` is what the component returned. The current thread may be another one afterwards. */
void gate_return_slow(struct cpu *cpu, long status);

long call_gate_create(struct cpu *cpu, struct hal_regs *r);

#endif
