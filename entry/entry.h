/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The code between user level and the kernel, and between components and the host.
 *
 * A CPU is in one of four states:
 *
 *                 user level        page table   IDT     syscall MSR   interrupts go to
 *   host          all of the host   the host's   host's  host's        the host
 *   component     components        component's  ours    ours          Limpet, see trap.S
 *   guest         a guest           the host's   guest   ours          the host
 *   executive     its executive     executive's  ours    ours          Limpet, see guest.S
 *
 * Components execute in a system call of the host thread: entry_host_run(). A guest is another thread of the host,
 * and its executive executes in that thread. The IDT `guest` is the host's, except for `int 0x80`.
 *
 * The host never sees a component's state. Before an interrupt that arrives in state `component`
 * reaches the host's handler, the CPU is put into state `host`, and the interrupted registers are
 * those of the host thread in its system call. So preemption, accounting, tracing and TLB shoot-downs
 * of the host work on an ordinary thread, and its signals wait until that call returns.
 */
#ifndef ENTRY_H
#define ENTRY_H

#include <kernel/cpu.h>

/* One CPU's entry state; found through the kernel's GS base. The offsets are generated. */
struct entry_cpu {
	word user_sp; /* user stack pointer of the system call that is being entered */
	word scratch;
	word inside; /* 0: state `host` or `guest`; INSIDE_GUEST: `executive`; else `component`: enum trace_path */
	word stack; /* top of the CPU's kernel stack */
	struct cpu *cpu;
	struct entry_cpu *self;
	word host_sp, host_cr3, host_cr4; /* registers of the host thread in entry_host_run() */
	word host_fs, host_gs;
	u32 host_keys;			     /* PKRU */
	word space;			     /* argument of the last barrier_load() */
	struct guest *guest;		     /* the current thread of the host, if it is a guest */
	u64 filter[LIMPET_GUEST_CALL_WORDS]; /* filter of that guest */
};

/* The operand of LIDT and SIDT. */
struct entry_idt {
	u16 limit;
	u64 base;
} __attribute__((packed));

/* Values of the MSRs of system calls. Virtual processors do not always refuse the other vendor's instructions. */
struct entry_calls {
	word lstar, cstar, sysenter_cs;
};

/* Set by the host at attach, read-only afterwards. */
extern struct entry_calls entry_calls_host, entry_calls_ours;
extern word entry_host_vector[256]; /* the host's handlers */
extern word entry_cr3_keep;	    /* bit 63 when process-context ids are on */
extern struct entry_idt entry_idt_host, entry_idt_ours, entry_idt_guest;
extern bool entry_keys; /* protection keys are on */

/* Assembly: the targets of the syscall MSRs while components execute, and the IDT stubs. */
void entry_syscall(void);
void entry_cstar(void);
#define ENTRY_STUB 16 /* bytes of a stub */
extern u8 entry_stubs[256][ENTRY_STUB];

/* The same, for processors that need something against speculation at each entry: guarded.h. */
void guard_syscall(void);
void guard_cstar(void);
extern u8 guard_stubs[256][ENTRY_STUB];

/*
 * barrier.S: the function that replaces the loads of page tables in the core while a loaded component requests branch
 * predictor barriers. The build lists the addresses of these loads.
 */
void barrier_load(void);

/*
 * Runs components on this CPU, until an interrupt has arrived and the host has handled it, or the kernel has requests.
 * Returns true with interrupts on in the first case, and false with interrupts off in the second case. Context: process
 * context of the host, in the host thread of the system whose entry state this is, interrupts off. The vector registers
 * must be loaded with those that the host keeps for the thread, and have the current component's values on return.
 */
bool entry_host_run(struct entry_cpu *entry);
/*
 * Implemented by the host. Called before the host's handler of an interrupt that ends entry_host_run(). Interrupts are
 * off, and the stack is the host thread's.
 */
void entry_host_interrupted(void);

/*
 * The parts in C. Context: interrupts off, kernel GS base.
 * entry_resume: calls kernel_resume(), which can change the path of system calls.
 * entry_from_host: switches from state `host` to `component`, then takes events that have arrived.
 * entry_to_host: switches back; the current thread's registers were saved.
 * entry_exception: handles an exception of a component; `address` is CR2.
 */
void entry_resume(struct entry_cpu *entry);
void entry_from_host(struct entry_cpu *entry);
void entry_to_host(struct entry_cpu *entry);
void entry_exception(struct cpu *cpu, word vector, word error, word address);

#endif
