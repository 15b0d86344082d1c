// SPDX-License-Identifier: GPL-2.0
/* Resets and records the guest's registers, and prepares those that VMLOAD loads for components. */
#include <host/bare/vm.h>
#include <limpet/device.h>

#define CR0_ET 0x10ul
#define CR0_PE 0x01ul
#define FLAGS_NONE 2ul
#define DR6_NONE 0xffff0ff0ul
#define DR7_NONE 0x400ul
#define PAT_RESET 0x0007040600070406ul
/* Attributes of segments. */
#define CODE 0x9b
#define DATA 0x93
#define TABLE 0x82
#define TASK 0x8b
#define FLAT 0xc00 /* 32 bits, in pages */

/* Uses the values of APM vol. 2 table 14-1. */
void vm_reset(struct vm_cpu *vm, unsigned int page)
{
	const struct vmcb_segment data = { .attributes = DATA, .limit = 0xffff };
	const struct vmcb_segment table = { .limit = 0xffff };
	struct vmcb *vmcb = vm->vmcb;

	vm->regs = (struct vm_regs){ .dx = vm_cpuid(1, 0).a };
	/* Clears the state area. */
	__builtin_memset(&vmcb->es, 0, sizeof(*vmcb) - offsetof(struct vmcb, es));
	vmcb->es = vmcb->ss = vmcb->ds = vmcb->fs = vmcb->gs = data;
	vmcb->cs = (struct vmcb_segment){ (u16)(page << 8), CODE, 0xffff, page << 12 };
	vmcb->gdtr = vmcb->idtr = table;
	vmcb->ldtr = (struct vmcb_segment){ .attributes = TABLE, .limit = 0xffff };
	vmcb->tr = (struct vmcb_segment){ .attributes = TASK, .limit = 0xffff };
	vmcb->efer = SVM_EFER_SVME;
	vmcb->cr0 = CR0_ET;
	vmcb->dr6 = DR6_NONE;
	vmcb->dr7 = DR7_NONE;
	vmcb->flags = FLAGS_NONE;
	vmcb->pat = PAT_RESET;
	vmcb->event = vmcb->interrupt_shadow = 0;
	vm_nmi_unmask(vm);
	vm_flush(vm);
}

void vm_reset_flat(struct vm_cpu *vm, word at)
{
	struct vmcb *vmcb = vm->vmcb;

	vm_reset(vm, 0);
	vmcb->es.limit = vmcb->ss.limit = vmcb->ds.limit = vmcb->fs.limit = vmcb->gs.limit =
		vmcb->cs.limit = ~0u;
	vmcb->es.attributes = vmcb->ss.attributes = vmcb->ds.attributes = DATA | FLAT;
	vmcb->cs.attributes = CODE | FLAT;
	vmcb->cr0 |= CR0_PE;
	vmcb->ip = vm->regs.si = at;
}

void vm_record(const struct vm_cpu *vm, struct limpet_record *record)
{
	const struct vmcb *vmcb = vm->vmcb;

	record->ip = vmcb->ip;
	record->sp = vmcb->sp;
	record->flags = vmcb->flags;
	record->cr0 = vmcb->cr0;
	record->cr2 = vmcb->cr2;
	record->cr3 = vmcb->cr3;
	record->cr4 = vmcb->cr4;
	record->ax = vmcb->ax;
	_Static_assert(offsetof(struct limpet_record, r15) - offsetof(struct limpet_record, bx) ==
			       offsetof(struct vm_regs, r15),
		       "the same order");
	__builtin_memcpy(&record->bx, &vm->regs, sizeof(vm->regs));
}

void vm_own_make(struct vm_cpu *vm, const struct vm_own *own)
{
	struct vmcb *vmcb = vm->own;

	vmcb->gs.base = own->gs;
	vmcb->tr = (struct vmcb_segment){ .selector = own->task_selector,
					  .attributes = TASK,
					  .limit = own->task_limit,
					  .base = own->task };
	vmcb->star = own->star;
	vmcb->lstar = own->lstar;
	vmcb->cstar = own->cstar;
	vmcb->sfmask = own->sfmask;
}
