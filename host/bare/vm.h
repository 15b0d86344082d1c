/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The contract between the layer and the processor's extension for virtual machines: enter the guest, why
 * it left, inject, nested page tables, the guest's registers. The layer uses nothing else of the extension,
 * and an implementation uses nothing of the layer. svm/ implements the contract for AMD-V.
 *
 * Context of every function: in the layer, on the CPU that the struct vm_cpu belongs to, while the guest
 * does not run, unless the text says otherwise. None sleeps, locks, allocates or fails. Cost is constant.
 * An implementation is a folder beside this file with a header (structures, inline functions) and the rest
 * in C and assembly. The header defines
 *
 *   struct vm_cpu                what the extension needs for a CPU; it begins with `regs`
 *   enum vm_reason               why the guest left, coded as by the processor: VM_EXCEPTION, VM_INTERRUPT,
 *                                VM_NMI, VM_SMI, VM_CPUID, VM_INVD, VM_HALT, VM_PORT, VM_MSR, VM_SHUTDOWN,
 *                                VM_CALL, VM_WBINVD, VM_NESTED
 *   VM_NESTED_READ, _WRITE, _EXECUTE, _ALL
 *                                bits of a nested page table's entry for a page: readable, and as the name
 *                                says; _TABLE: for a lower table. Bit 0 is set in all, bit 7 is that of a
 *                                large page, bits 51:12 are the address
 *
 *   Enter:
 *   vm_interrupts_take()         interrupts that wait are taken
 *   vm_stop()                    does not return; the CPU goes on at INIT
 *
 *   Why it left, and the details of one reason each:
 *   vm_left(vm)                  is called first after an exit: an event that the exit interrupted is
 *                                delivered at the next entry
 *   vm_reason(vm)                the reason
 *   vm_exception(vm)             VM_EXCEPTION: the vector
 *   vm_msr_is_write(vm)          VM_MSR: the access writes
 *   vm_address(vm)               VM_NESTED: the physical address
 *   vm_port(vm)                  VM_PORT: the access
 *
 *   Inject, at the next entry:
 *   vm_inject(vm, vector)        an exception, with error code 0 if it has one; replaces what waits
 *   vm_inject_nmi(vm)            an NMI; replaces what waits
 *   vm_event_waits(vm)           an event waits to be delivered
 *   vm_interrupt_waits(vm)       that event is an interrupt
 *   vm_interrupt_offer(vm, v)    the guest takes vector v when it lets interrupts in; 0: none
 *   vm_interrupt_offered(vm)     the guest has not taken it yet
 *   vm_interrupts_on(vm)         the guest's interrupt flag
 *   vm_interrupts_held(vm)       the instruction before holds interrupts back, as STI does
 *
 *   Nested page tables:
 *   vm_flush(vm)                 the next entry forgets all translations
 *
 *   The guest's registers:
 *   vm_register(vm, n)           general register n, 0 to 15, as the instruction set counts
 *   vm_ip(vm), vm_cr0(vm), vm_cr3(vm), vm_idt(vm)
 *   vm_skip(vm, length)          the guest goes on `length` bytes behind this instruction
 *   vm_user(vm)                  it is at user level
 *   vm_efer(vm), vm_efer_set(vm, efer)     EFER without the extension's bit
 *   vm_guest_save(vm), vm_guest_load(vm)   exchange the registers that an entry does not load (FS, GS, TR,
 *                                LDTR, MSRs of system calls) with the processor's
 *   vm_own_load(vm)              loads the components' registers of these kinds
 */
#ifndef BARE_VM_H
#define BARE_VM_H

#include <hal/types.h>

/* General registers of the guest that stay in the processor at an entry; the order is known to vmrun.S. */
struct vm_regs {
	u64 bx, cx, dx, si, di, bp, r8, r9, r10, r11, r12, r13, r14, r15;
};

/* An access of a port: `length` is that of the instruction in bytes, `size` that of the value. */
struct vm_port {
	u16 port;
	unsigned int size, length;
	bool in, string;
};

/* A register that names a descriptor table. */
struct vm_table {
	word base;
	u32 limit;
};

/* The components' registers that vm_own_load loads. */
struct vm_own {
	word gs, task, lstar, cstar; /* bases of GS and of the task state segment; entries */
	u64 star, sfmask;
	u32 task_limit;
	u16 task_selector;
};

#include <host/bare/svm/svm.h>

/* Runs the guest until an exit. Interrupts wait on return. Cost: the guest's. */
void vm_enter(struct vm_cpu *vm);
/* Waits until an interrupt, NMI or machine check has come. */
void vm_halt(void);
/* Prepares what vm_own_load loads. */
void vm_own_make(struct vm_cpu *vm, const struct vm_own *own);

/* Registers as INIT leaves them: in real mode, at the beginning of page `page` of the first MiB. */
void vm_reset(struct vm_cpu *vm, unsigned int page);
/* In protected mode without paging, at `at`, with segments of 4 GiB; SI has `at`, too. */
void vm_reset_flat(struct vm_cpu *vm, word at);
struct limpet_record;
/* Copies the guest's registers into a record; also from another CPU. */
void vm_record(const struct vm_cpu *vm, struct limpet_record *record);

/* Changes what CPUID tells of the extension: the results of leaf `leaf`. */
void vm_cpuid_hide(u32 leaf, u32 *a, u32 *b, u32 *c, u32 *d);
/* Returns whether the MSR is one of the extension's that the guest may read, and its value. */
bool vm_msr_get(u32 msr, u64 *value);

/*
 * Preparing, by the module, before the first entry. vm_control_make: which events and instructions exit,
 * with the physical addresses of the nested page table's root and of the two maps. A map of MSRs has 8 KiB:
 * vm_msr_map_make marks each write that it covers, and the extension's own registers; vm_msr_map marks an
 * MSR's accesses of a kind, or removes the mark. Accesses of an MSR that the map does not cover exit always.
 * A map of ports has 12 KiB: one bit for each port, set if accesses exit.
 */
enum { VM_MSR_READ = 1, VM_MSR_WRITE = 2 };
void vm_control_make(struct vm_cpu *vm, word nested, word msr_map, word port_map);
void vm_msr_map_make(u8 *map);
void vm_msr_map(u8 *map, u32 msr, unsigned int accesses, bool exits);

#endif
