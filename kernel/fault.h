/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KERNEL_FAULT_H
#define KERNEL_FAULT_H

#include <hal/types.h>

struct cpu;
struct invocation;
struct thread;
struct hal_regs;

/*
 * Handles a fault of the current thread. `kind` is the exception's vector or LIMPET_FAULT_...
 * Invokes the fault handler of the component. If it has no handler, or faults of handlers are
 * nested too deeply, the thread leaves the component with LIMPET_ECRASH.
 */
void fault_raise(struct cpu *cpu, word kind, word address, word error);

/* Counts the innermost fault of the thread, to which the frame belongs, as not repaired. */
void fault_unrepaired(const struct thread *thread, const struct invocation *frame);

long call_syscall_entry(struct cpu *cpu, struct hal_regs *regs);
long call_thread_divert(struct cpu *cpu, struct hal_regs *regs);
long call_fault_read(struct cpu *cpu, struct hal_regs *regs);
long call_fault_write(struct cpu *cpu, struct hal_regs *regs);

#endif
