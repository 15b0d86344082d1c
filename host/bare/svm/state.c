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
	struct vmcb *v = vm->vmcb;
	u32 signature = 1, bx, cx, dx;

	asm volatile("cpuid" : "+a"(signature), "=b"(bx), "=c"(cx), "=d"(dx));
	vm->regs = (struct vm_regs){ .dx = signature };
	__builtin_memset(&v->es, 0, sizeof(*v) - offsetof(struct vmcb, es)); /* the state area */
	v->es = v->ss = v->ds = v->fs = v->gs = data;
	v->cs = (struct vmcb_segment){ (u16)(page << 8), CODE, 0xffff, page << 12 };
	v->gdtr = v->idtr = table;
	v->ldtr = (struct vmcb_segment){ .attributes = TABLE, .limit = 0xffff };
	v->tr = (struct vmcb_segment){ .attributes = TASK, .limit = 0xffff };
	v->efer = SVM_EFER_SVME;
	v->cr0 = CR0_ET;
	v->dr6 = DR6_NONE;
	v->dr7 = DR7_NONE;
	v->flags = FLAGS_NONE;
	v->pat = PAT_RESET;
	v->event = v->interrupt_shadow = 0;
	vm_flush(vm);
}

void vm_reset_flat(struct vm_cpu *vm, word at)
{
	struct vmcb *v = vm->vmcb;

	vm_reset(vm, 0);
	v->es.limit = v->ss.limit = v->ds.limit = v->fs.limit = v->gs.limit = v->cs.limit = ~0u;
	v->es.attributes = v->ss.attributes = v->ds.attributes = DATA | FLAT;
	v->cs.attributes = CODE | FLAT;
	v->cr0 |= CR0_PE;
	v->ip = vm->regs.si = at;
}

void vm_record(const struct vm_cpu *vm, struct limpet_record *record)
{
	const struct vmcb *v = vm->vmcb;

	record->ip = v->ip;
	record->sp = v->sp;
	record->flags = v->flags;
	record->cr0 = v->cr0;
	record->cr2 = v->cr2;
	record->cr3 = v->cr3;
	record->cr4 = v->cr4;
	record->ax = v->ax;
	_Static_assert(offsetof(struct limpet_record, r15) - offsetof(struct limpet_record, bx) ==
			       offsetof(struct vm_regs, r15),
		       "the same order");
	__builtin_memcpy(&record->bx, &vm->regs, sizeof(vm->regs));
}

void vm_own_make(struct vm_cpu *vm, const struct vm_own *own)
{
	struct vmcb *v = vm->own;

	v->gs.base = own->gs;
	v->tr = (struct vmcb_segment){ .selector = own->task_selector,
				       .attributes = TASK,
				       .limit = own->task_limit,
				       .base = own->task };
	v->star = own->star;
	v->lstar = own->lstar;
	v->cstar = own->cstar;
	v->sfmask = own->sfmask;
}
