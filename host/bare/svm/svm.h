/* SPDX-License-Identifier: GPL-2.0 */
/* The contract of <host/bare/vm.h> on AMD-V: structures and inline functions. Only vm.h includes it. */
#ifndef BARE_SVM_H
#define BARE_SVM_H

#include <host/bare/svm/vmcb.h>

struct vm_cpu {
	struct vm_regs regs; /* vmrun.S: at offset 0 */
	u64 vmcb_physical;
	struct vmcb *vmcb;
	struct vmcb *own; /* block for VMLOAD: FS, GS, TR and MSRs of components */
	u64 own_physical;
};

/* exit_code (APM vol. 2 appendix C). */
enum vm_reason {
	VM_EXCEPTION = VMCB_EXIT_EXCEPTION,
	VM_INTERRUPT = 0x60,
	VM_NMI = 0x61,
	VM_SMI = 0x62, /* handled in the layer if the processor allows that */
	VM_CPUID = 0x72,
	VM_IRET = 0x74,
	VM_INVD = 0x76,
	VM_HALT = 0x78,
	VM_PORT = 0x7b,
	VM_MSR = 0x7c,
	VM_SHUTDOWN = 0x7f,
	VM_CALL = 0x81,
	VM_WBINVD = 0x89,
	VM_NESTED = 0x400,
};

/* Nested accesses are user accesses (APM vol. 2 section 15.25.5). 0x67: present, writable, user, used. */
#define VM_NESTED_ALL 0x67ul
#define VM_NESTED_TABLE VM_NESTED_ALL
#define VM_NESTED_NO_EXECUTE (1ul << 63)
#define VM_NESTED_READ (0x65ul | VM_NESTED_NO_EXECUTE)
#define VM_NESTED_EXECUTE 0x65ul
#define VM_NESTED_WRITE (0x67ul | VM_NESTED_NO_EXECUTE)

#define SVM_EFER_SVME (1ul << 12)
#define SVM_FLAG_IF 0x200u

/* Sets GIF for one instruction. */
static inline void vm_interrupts_take(void)
{
	asm volatile("stgi\n\tnop\n\tclgi" : : : "memory");
}

static inline void __attribute__((noreturn)) vm_stop(void)
{
	for (;;)
		asm volatile("cli\n\tstgi\n\thlt" : : : "memory");
}

static inline void vm_left(struct vm_cpu *vm)
{
	struct vmcb *vmcb = vm->vmcb;

	vmcb->event = vmcb->exit_interrupt & VMCB_EVENT_VALID ? vmcb->exit_interrupt : 0;
	vmcb->tlb_control = 0;
}

static inline enum vm_reason vm_reason(const struct vm_cpu *vm)
{
	u64 code = vm->vmcb->exit_code;

	return code - VMCB_EXIT_EXCEPTION < 32 ? VM_EXCEPTION : (enum vm_reason)code;
}

static inline unsigned int vm_exception(const struct vm_cpu *vm)
{
	return (unsigned int)vm->vmcb->exit_code - VMCB_EXIT_EXCEPTION;
}

static inline bool vm_msr_is_write(const struct vm_cpu *vm)
{
	return vm->vmcb->exit_info_1;
}

static inline word vm_address(const struct vm_cpu *vm)
{
	return vm->vmcb->exit_info_2;
}

static inline struct vm_port vm_port(const struct vm_cpu *vm)
{
	u32 info = (u32)vm->vmcb->exit_info_1;

	return (struct vm_port){
		.port = VMCB_PORT(info),
		.size = VMCB_PORT_SIZE(info),
		.length = (unsigned int)(vm->vmcb->exit_info_2 - vm->vmcb->ip),
		.in = info & VMCB_PORT_IN,
		.string = info & VMCB_PORT_STRING,
	};
}

static inline void vm_inject(struct vm_cpu *vm, unsigned int vector)
{
	bool error = vector == VECTOR_GP || vector == VECTOR_DF || vector == VECTOR_AC;

	vm->vmcb->event = VMCB_EVENT_VALID | VMCB_EVENT_EXCEPTION | vector |
			  (error ? VMCB_EVENT_ERROR : 0);
}

/* The processor does not mask the guest's NMIs (APM vol. 2 section 15.21.10), so its next IRET exits. */
static inline void vm_inject_nmi(struct vm_cpu *vm)
{
	vm->vmcb->event = VMCB_EVENT_VALID | VMCB_EVENT_NMI | VECTOR_NMI;
	vm->vmcb->intercept_1 |= VMCB_1_IRET;
}

static inline void vm_nmi_unmask(struct vm_cpu *vm)
{
	vm->vmcb->intercept_1 &= ~VMCB_1_IRET;
}

static inline bool vm_event_waits(const struct vm_cpu *vm)
{
	return vm->vmcb->event || vm->vmcb->intercept_1 & VMCB_1_IRET;
}

static inline bool vm_interrupt_waits(const struct vm_cpu *vm)
{
	return vm->vmcb->event && !(vm->vmcb->event & VMCB_EVENT_EXCEPTION);
}

/*
 * Uses a virtual interrupt, which the processor delivers when the guest accepts interrupts. An event at VMRUN would be
 * delivered immediately, but QEMU 7.2 can deliver such an interrupt twice, the second time at any instruction.
 */
static inline void vm_interrupt_offer(struct vm_cpu *vm, unsigned int vector)
{
	vm->vmcb->virtual_interrupt = VMCB_V_MASKING;
	if (vector)
		vm->vmcb->virtual_interrupt |= VMCB_V_IRQ | VMCB_V_IGNORE_PRIORITY |
					       (u64)(vector >> 4) << VMCB_V_PRIORITY_SHIFT |
					       (u64)vector << VMCB_V_VECTOR_SHIFT;
}

static inline bool vm_interrupt_offered(const struct vm_cpu *vm)
{
	return vm->vmcb->virtual_interrupt & VMCB_V_IRQ;
}

static inline bool vm_interrupts_on(const struct vm_cpu *vm)
{
	return vm->vmcb->flags & SVM_FLAG_IF;
}

static inline bool vm_interrupts_held(const struct vm_cpu *vm)
{
	return vm->vmcb->interrupt_shadow & 1;
}

static inline void vm_flush(struct vm_cpu *vm)
{
	vm->vmcb->tlb_control = VMCB_FLUSH_ALL;
}

static inline u64 *vm_register(struct vm_cpu *vm, unsigned int number)
{
	/* In the order of the instruction set: ax cx dx bx sp bp si di. */
	u64 *const low[8] = { &vm->vmcb->ax, &vm->regs.cx, &vm->regs.dx, &vm->regs.bx,
			      &vm->vmcb->sp, &vm->regs.bp, &vm->regs.si, &vm->regs.di };

	return number < 8 ? low[number] : &vm->regs.r8 + (number - 8);
}

static inline word vm_ip(const struct vm_cpu *vm)
{
	return vm->vmcb->ip;
}

static inline void vm_skip(struct vm_cpu *vm, word length)
{
	vm->vmcb->ip += length;
	vm->vmcb->interrupt_shadow = 0;
}

static inline word vm_cr0(const struct vm_cpu *vm)
{
	return vm->vmcb->cr0;
}

static inline word vm_cr3(const struct vm_cpu *vm)
{
	return vm->vmcb->cr3;
}

static inline struct vm_table vm_idt(const struct vm_cpu *vm)
{
	return (struct vm_table){ vm->vmcb->idtr.base, vm->vmcb->idtr.limit };
}

static inline bool vm_user(const struct vm_cpu *vm)
{
	return vm->vmcb->cpl;
}

static inline u64 vm_efer(const struct vm_cpu *vm)
{
	return vm->vmcb->efer & ~SVM_EFER_SVME;
}

static inline void vm_efer_set(struct vm_cpu *vm, u64 efer)
{
	vm->vmcb->efer = efer | SVM_EFER_SVME;
}

/* Executes VMSAVE (APM vol. 3). */
static inline void vm_guest_save(struct vm_cpu *vm)
{
	asm volatile("vmsave" : : "a"(vm->vmcb_physical) : "memory");
}

/* Executes VMLOAD (APM vol. 3). */
static inline void vm_guest_load(struct vm_cpu *vm)
{
	asm volatile("vmload" : : "a"(vm->vmcb_physical) : "memory");
}

static inline void vm_own_load(struct vm_cpu *vm)
{
	asm volatile("vmload" : : "a"(vm->own_physical) : "memory");
}

#endif
