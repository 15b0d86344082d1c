/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Gates and invocations: the protected procedure call. A gate capability names a component, an
 * entry point in it and a badge. An invocation pushes a frame and continues at the entry point.
 *
 * The entry code calls these functions with the message in the six message registers. These are the
 * callee-saved registers of the C calling convention, so they need not be stored.
 */
#ifndef KERNEL_GATE_H
#define KERNEL_GATE_H

#include <kernel/object.h>

/*
 * Invokes the gate in `slot` for the current thread, which will return to ip with the stack pointer
 * sp. Returns the place at which user level continues: in the invoked component with cpu->ret = the
 * badge. On failure it is ip, sp with cpu->ret = LIMPET_ESLOT, LIMPET_ETYPE, LIMPET_EDEPTH, or
 * LIMPET_ECRASH (the component is closed or not activated).
 */
struct user_return gate_invoke(struct cpu *cpu, word slot, word sp, word ip);
/*
 * Returns from an invocation of the current thread. The result is the place at which user level
 * continues. If ip is 0, the entry code must save the thread's registers and call
 * gate_return_slow().
 */
struct user_return gate_return(struct cpu *cpu);
/* Variants of both functions while invocations are traced. */
struct user_return gate_invoke_traced(struct cpu *cpu, word slot, word sp, word ip);
struct user_return gate_return_traced(struct cpu *cpu);
/* Returns from an invocation with `status`. May change the current thread. */
void gate_return_slow(struct cpu *cpu, long status);

long call_gate_create(struct cpu *cpu, struct hal_regs *regs);

#endif
