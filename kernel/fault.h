/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KERNEL_FAULT_H
#define KERNEL_FAULT_H

#include <hal/types.h>

struct cpu;
struct invocation;
struct thread;
struct hal_regs;

/*
 * The current thread cannot go on where it is. `kind` is the exception's vector or LIMPET_FAULT_...
 * Its component's fault handler is invoked; without one, or when the handler itself faults too
 * deep, the thread leaves the component with LIMPET_ECRASH.
 */
void fault_raise(struct cpu *cpu, word kind, word address, word error);

/* The innermost fault that the thread is handling, which this frame is of, was not mended. */
void fault_unrepaired(const struct thread *t, const struct invocation *frame);

long call_syscall_entry(struct cpu *cpu, struct hal_regs *r);
long call_thread_divert(struct cpu *cpu, struct hal_regs *r);
long call_fault_read(struct cpu *cpu, struct hal_regs *r);
long call_fault_write(struct cpu *cpu, struct hal_regs *r);

#endif
