// SPDX-License-Identifier: GPL-2.0
/* Sets which events and accesses make the guest exit, and hides AMD-V from it. */
#include <host/bare/vm.h>

/* The MSR map (APM vol. 2 section 15.11): MSRs in a part, and bytes of a part, with two bits for each MSR. */
#define MSR_RANGE 0x2000u
#define MSR_PART 0x800u
#define MSR_PARTS 3u
#define MSR_VM_CR 0xc0010114u
#define MSR_VM_HSAVE 0xc0010117u /* where the processor saves the layer's state */
#define VM_CR_DISABLED 0x18ul	 /* LOCK, SVMDIS: the value of firmware that disables AMD-V */
#define CPUID_FEATURES 0x80000001u
#define CPUID_SVM 0x8000000au
#define FEATURE_SVM (1u << 2)
#define SVM_INVLPGB (1u << 24) /* of EDX: a control block can allow INVLPGB and TLBSYNC */

void vm_control_make(struct vm_cpu *vm, word nested, word msr_map, word port_map)
{
	struct vmcb *vmcb = vm->vmcb;

	vmcb->intercept_exceptions = 1u << VECTOR_DB | 1u << VECTOR_DF | 1u << VECTOR_AC;
	vmcb->intercept_1 = VMCB_1_INTR | VMCB_1_NMI | VMCB_1_SMI | VMCB_1_CPUID | VMCB_1_INVD |
			    VMCB_1_HLT | VMCB_1_INVLPGA | VMCB_1_MSR | VMCB_1_IOIO |
			    VMCB_1_SHUTDOWN;
	vmcb->intercept_2 = VMCB_2_VMRUN | VMCB_2_VMMCALL | VMCB_2_VMLOAD | VMCB_2_VMSAVE |
			    VMCB_2_STGI | VMCB_2_CLGI | VMCB_2_SKINIT | VMCB_2_WBINVD;
	vmcb->msrpm = msr_map;
	vmcb->iopm = port_map;
	vmcb->asid = 1;
	vmcb->nested_paging = VMCB_NESTED |
			      (vm_cpuid(CPUID_SVM, 0).d & SVM_INVLPGB ? VMCB_INVLPGB : 0);
	vmcb->nested_cr3 = nested;
	vm_flush(vm);
}

void vm_msr_map(u8 *map, u32 msr, unsigned int accesses, bool exits)
{
	static const u32 first[MSR_PARTS] = { 0, 0xc0000000, 0xc0010000 };

	for (unsigned int i = 0; i < MSR_PARTS; i++) {
		u32 n = msr - first[i];
		u8 bits = (u8)(accesses << n % 4 * 2), *byte = map + i * MSR_PART;

		if (n >= MSR_RANGE)
			continue;
		byte += n / 4;
		*byte = exits ? *byte | bits : *byte & ~bits;
	}
}

void vm_msr_map_make(u8 *map)
{
	for (unsigned int i = 0; i < MSR_PARTS * MSR_PART; i++)
		map[i] = VM_MSR_WRITE * 0x55;
	vm_msr_map(map, MSR_VM_CR, VM_MSR_READ, true);
	vm_msr_map(map, MSR_VM_HSAVE, VM_MSR_READ, true);
}

bool vm_msr_get(u32 msr, u64 *value)
{
	*value = VM_CR_DISABLED;
	return msr == MSR_VM_CR;
}

/* Before Linux 6.6, a CPU that stops clears this MSR without looking for AMD-V again. */
bool vm_msr_ignored(u32 msr, u64 value)
{
	return msr == MSR_VM_HSAVE && !value;
}

void vm_cpuid_hide(u32 leaf, struct vm_cpuid *result)
{
	if (leaf == CPUID_FEATURES)
		result->c &= ~FEATURE_SVM;
	if (leaf == CPUID_SVM)
		*result = (struct vm_cpuid){ 0 };
}
