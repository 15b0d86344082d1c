/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The contract between the layer and the processor's extension for virtual machines: enter the guest, exit reasons,
 * injection, nested page tables, the guest's registers. The layer accesses the extension only through this contract. An
 * implementation does not depend on the layer. svm/ implements the contract for AMD-V.
 *
 * The functions are called in the layer, on the CPU of the struct vm_cpu, while the guest does not run, unless the text
 * says otherwise. They do not sleep, lock, allocate or fail. Their cost is constant. An implementation is a folder next
 * to this file, with a header (structures, inline functions), C files and assembly. The header defines
 *
 *   struct vm_cpu                the data of the extension for a CPU; its first member is `regs`
 *   enum vm_reason               exit reasons, with the processor's codes: VM_EXCEPTION, VM_INTERRUPT, VM_NMI, VM_SMI,
 *                                VM_CPUID, VM_IRET, VM_INVD, VM_HALT, VM_PORT, VM_MSR, VM_SHUTDOWN, VM_CALL, VM_WBINVD,
 *                                VM_NESTED
 *   VM_NESTED_READ, _WRITE, _EXECUTE, _ALL
 *                                bits of a nested page table's entry for a page: readable, and with the named right;
 *                                _TABLE: bits for a lower table. Bit 0 is set in all of them. Bit 7 marks a large
 *                                page, and bits 51:12 are the address
 *
 *   Enter:
 *   vm_interrupts_take()         takes pending interrupts
 *   vm_stop()                    stops the CPU until INIT; does not return
 *
 *   Exit reasons, and the details of a reason:
 *   vm_left(vm)                  must be called first after an exit; delivers an event that the exit interrupted at
 *                                the next entry
 *   vm_reason(vm)                returns the reason
 *   vm_exception(vm)             VM_EXCEPTION: returns the vector
 *   vm_msr_is_write(vm)          VM_MSR: returns whether the access is a write
 *   vm_address(vm)               VM_NESTED: returns the physical address
 *   vm_port(vm)                  VM_PORT: returns the access
 *
 *   Injection at the next entry:
 *   vm_inject(vm, vector)        injects an exception, with error code 0 if it has one; replaces a pending event
 *   vm_inject_nmi(vm)            injects an NMI, and masks NMIs; replaces a pending event
 *   vm_nmi_unmask(vm)            unmasks NMIs; must be called for VM_IRET, the exit before an IRET while they are masked
 *   vm_event_waits(vm)           returns whether NMIs and machine checks must wait: an event is pending, or NMIs are masked
 *   vm_interrupt_waits(vm)       returns whether the pending event is an interrupt
 *   vm_interrupt_offer(vm, v)    lets the guest take vector v as soon as it accepts interrupts; 0: withdraws it
 *   vm_interrupt_offered(vm)     returns whether the guest has not taken the offered vector yet
 *   vm_interrupts_on(vm)         returns the guest's interrupt flag
 *   vm_interrupts_held(vm)       returns whether the last instruction blocks interrupts, as STI does
 *
 *   Nested page tables:
 *   vm_flush(vm)                 drops all translations at the next entry
 *
 *   The guest's registers:
 *   vm_register(vm, n)           returns a pointer to general register n, 0 to 15, in the order of the instruction set
 *   vm_ip(vm), vm_cr0(vm), vm_cr3(vm), vm_idt(vm)
 *   vm_skip(vm, length)          skips the current instruction of `length` bytes
 *   vm_user(vm)                  returns whether the guest is at user level
 *   vm_efer(vm), vm_efer_set(vm, efer)     EFER without the extension's bit
 *   vm_guest_save(vm), vm_guest_load(vm)   save and load the guest's registers that an entry does not load (FS, GS, TR,
 *                                LDTR, MSRs of system calls)
 *   vm_own_load(vm)              loads the components' registers of these kinds
 */
#ifndef BARE_VM_H
#define BARE_VM_H

#include <hal/types.h>

/* Vectors of exceptions. */
#define VECTOR_DB 1u
#define VECTOR_NMI 2u
#define VECTOR_BP 3u
#define VECTOR_OF 4u
#define VECTOR_UD 6u
#define VECTOR_DF 8u
#define VECTOR_GP 13u
#define VECTOR_AC 17u
#define VECTOR_MC 18u

/* General registers of the guest that the processor does not exchange at an entry. vmrun.S depends on their order. */
struct vm_regs {
	u64 bx, cx, dx, si, di, bp, r8, r9, r10, r11, r12, r13, r14, r15;
};

/* An access of a port: `length` is the instruction's length in bytes, `size` is the value's. */
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

/* The results of CPUID. */
struct vm_cpuid {
	u32 a, b, c, d;
};

static inline struct vm_cpuid vm_cpuid(u32 leaf, u32 sub)
{
	struct vm_cpuid result = { .a = leaf, .c = sub };

	asm volatile("cpuid" : "+a"(result.a), "=b"(result.b), "+c"(result.c), "=d"(result.d));
	return result;
}

#include <host/bare/svm/svm.h>

/* Runs the guest until an exit. Interrupts are blocked on return. The cost is not bounded. */
void vm_enter(struct vm_cpu *vm);
/* Waits until an interrupt, NMI or machine check has arrived. */
void vm_halt(void);
/* Sets the registers that vm_own_load() loads. */
void vm_own_make(struct vm_cpu *vm, const struct vm_own *own);

/* Resets the guest's registers as INIT does: real mode, at the start of page `page` of the first MiB. */
void vm_reset(struct vm_cpu *vm, unsigned int page);
/* Resets the guest to protected mode without paging, at address `at`, with segments of 4 GiB. SI is `at`, too. */
void vm_reset_flat(struct vm_cpu *vm, word at);
struct limpet_record;
/* Copies the guest's registers into a record. Can be called on another CPU. */
void vm_record(const struct vm_cpu *vm, struct limpet_record *record);

/* Removes the extension from the results of CPUID leaf `leaf`. */
void vm_cpuid_hide(u32 leaf, struct vm_cpuid *result);

/* Returns whether an MSR is one of the extension's that the guest may read. Then stores its value, otherwise any. */
bool vm_msr_get(u32 msr, u64 *value);
/* Returns whether the guest's write of an MSR of the extension must be ignored. All others are invalid. */
bool vm_msr_ignored(u32 msr, u64 value);

/*
 * Called by the module before the first entry. vm_control_make() sets the events and instructions that exit. Its
 * arguments are the physical addresses of the nested page table's root and of the two maps. A map of MSRs has 8 KiB.
 * vm_msr_map_make() marks all writes in it, and accesses of the extension's own registers. vm_msr_map() marks or
 * unmarks accesses of an MSR. Accesses of an MSR outside the map always exit. A map of ports has 12 KiB, with one bit
 * for each port, which is set if accesses exit.
 */
enum { VM_MSR_READ = 1, VM_MSR_WRITE = 2 };
void vm_control_make(struct vm_cpu *vm, word nested, word msr_map, word port_map);
void vm_msr_map_make(u8 *map);
void vm_msr_map(u8 *map, u32 msr, unsigned int accesses, bool exits);

#endif
