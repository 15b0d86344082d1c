// SPDX-License-Identifier: GPL-2.0
/* Offsets for the layer's assembly: the build turns each line of output into a #define. */
#include <host/bare/bare.h>

#define DEFINE(name, value) asm volatile("\n->" #name " %0" : : "i"(value))
#define BARE(name, member) DEFINE(BARE_##name, offsetof(struct bare_cpu, member))
#define LAUNCH(name, member) DEFINE(LAUNCH_##name, offsetof(struct bare_launch, member))
#define VMCB(name, member) DEFINE(VMCB_##name, offsetof(struct vmcb, member))

void offsets(void);
void offsets(void)
{
	DEFINE(BARE_MAGIC, BARE_MAGIC);
	BARE(VMCB_PHYSICAL, vm.vmcb_physical);
	BARE(LEAVE, leave);
	DEFINE(BARE_SAFE, BARE_SAFE);
	DEFINE(BARE_STACK, BARE_STACK);
	DEFINE(BARE_PRIORITY, BARE_PRIORITY);
	BARE(ARRIVED, arrived);
	BARE(NMI, nmi);
	BARE(MACHINE_CHECK, machine_check);
	BARE(REFUSED, refused);
	BARE(VMCB, vm.vmcb);
	BARE(BX, vm.regs.bx);
	BARE(CX, vm.regs.cx);
	BARE(DX, vm.regs.dx);
	BARE(SI, vm.regs.si);
	BARE(DI, vm.regs.di);
	BARE(BP, vm.regs.bp);
	BARE(R8, vm.regs.r8);
	BARE(R9, vm.regs.r9);
	BARE(R10, vm.regs.r10);
	BARE(R11, vm.regs.r11);
	BARE(R12, vm.regs.r12);
	BARE(R13, vm.regs.r13);
	BARE(R14, vm.regs.r14);
	BARE(R15, vm.regs.r15);
	LAUNCH(CR3, cr3);
	LAUNCH(STACK, stack);
	LAUNCH(ENTRY, entry);
	LAUNCH(CPU, cpu);
	LAUNCH(VMCB, vmcb);
	VMCB(SP, sp);
	VMCB(IP, ip);
	VMCB(FLAGS, flags);
	VMCB(AX, ax);
	VMCB(CR0, cr0);
	VMCB(CR2, cr2);
	VMCB(CR3, cr3);
	VMCB(CR4, cr4);
	VMCB(DR6, dr6);
	VMCB(DR7, dr7);
	VMCB(EFER, efer);
	VMCB(DS, ds.selector);
	VMCB(ES, es.selector);
	VMCB(GDTR_LIMIT, gdtr.limit);
	VMCB(GDTR_BASE, gdtr.base);
	VMCB(IDTR_LIMIT, idtr.limit);
	VMCB(IDTR_BASE, idtr.base);
}
