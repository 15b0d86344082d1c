// SPDX-License-Identifier: GPL-2.0
/* Linux's use of AMD-V: checks the processor, and lets CPUs enter and leave the layer. */
#include <linux/kvm_para.h>
#include <linux/mm.h>
#include <asm/debugreg.h>
#include <asm/desc.h>
#include <asm/msr.h>
#include <asm/tlbflush.h>

#include <host/linux/beneath/svm.h>
#include <host/linux/compat.h>
#include <host/linux/parts.h>

#define SVM_VM_CR_SVM_DISABLE 4
#define KVM_ASKED                                                                                  \
	(BIT(KVM_FEATURE_ASYNC_PF) | BIT(KVM_FEATURE_PV_UNHALT) | BIT(KVM_FEATURE_PV_SEND_IPI) |   \
	 BIT(KVM_FEATURE_PV_SCHED_YIELD))

long bare_launch(const struct bare_launch *launch);

DEFINE_PER_CPU(struct bare_launch, svm_launch);
static struct cpumask beneath; /* CPUs that are in the layer */
static bool adopted;	       /* the layer has started this Linux, and cannot be left */

/*
 * AMD-V's features. A CPU that comes online in the layer does not report them, and then Linux removes them from the set
 * that all CPUs have. They are restored when the CPUs leave.
 */
static const unsigned int feature_word[] = { CPUID_8000_0001_ECX, CPUID_8000_000A_EDX };
static u32 feature[ARRAY_SIZE(feature_word)];

static void features_keep(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(feature); i++)
		feature[i] = boot_cpu_data.x86_capability[feature_word[i]];
}

static void features_restore(void)
{
	unsigned int cpu;

	for (unsigned int i = 0; i < ARRAY_SIZE(feature); i++) {
		boot_cpu_data.x86_capability[feature_word[i]] |= feature[i];
		for_each_online_cpu(cpu)
			cpu_data(cpu).x86_capability[feature_word[i]] |= feature[i];
	}
}

/* Without the layer the instruction is invalid, or another hypervisor does not know the call. */
bool svm_find(struct bare_info *info)
{
	long result = BARE_CALL_INFO;

	asm volatile("1: vmmcall\n2:\n" _ASM_EXTABLE(1b, 2b)
		     : "+a"(result)
		     : "D"(info), "S"(sizeof(*info))
		     : "memory");
	return !result;
}

/*
 * Returns true if Linux is a guest of KVM that sends IPIs or wakes CPUs by KVM's calls. The layer would take these
 * calls.
 */
static bool kvm_asked(void)
{
	u32 base = cpuid_base_hypervisor(KVM_SIGNATURE, 0);

	return base && cpuid_eax(base + KVM_CPUID_FEATURES - KVM_CPUID_SIGNATURE) & KVM_ASKED;
}

int svm_check(void)
{
	u64 vm_cr;

	if (kvm_loaded()) /* KVM remembers that the processor has AMD-V, and cannot use it in the layer */
		return refused(-EBUSY, "KVM is loaded. Unload it: modprobe -r kvm_amd kvm.");
	if (kvm_asked())
		return refused(
			-ENODEV,
			"KVM's calls fail beneath. Start the machine with -cpu host,kvm=off.");
	if (num_present_cpus() > BARE_CPUS)
		return refused(-ENODEV, "%u CPUs exceed the maximum of %u. Attach in beside mode.",
			       num_present_cpus(), BARE_CPUS);
	if (!boot_cpu_has(X86_FEATURE_SVM) || !boot_cpu_has(X86_FEATURE_NPT))
		return refused(-ENODEV,
			       "The processor has no AMD-V with nested paging. Use beside mode.");
	rdmsrq(MSR_VM_CR, vm_cr);
	if (vm_cr & (1 << SVM_VM_CR_SVM_DISABLE))
		return refused(-ENODEV, "AMD-V is switched off. Switch it on in the firmware.");
	features_keep();
	return machine_check_cpus();
}

/* Returns a segment register's contents, read from its descriptor table. */
static struct vmcb_segment segment_of(u16 selector, const struct desc_ptr *table)
{
	const struct desc_struct *segment = (const void *)(table->address + (selector & ~7ul));
	u64 raw;

	if (!(selector & ~3))
		return (struct vmcb_segment){ .selector = selector };
	memcpy(&raw, segment, sizeof(raw));
	return (struct vmcb_segment){
		.selector = selector,
		.attributes = (raw >> 40 & 0xff) | (raw >> 44 & 0xf00),
		.limit = segment->g ? get_desc_limit(segment) << 12 | 0xfff
				    : get_desc_limit(segment),
		.base = get_desc_base(segment),
	};
}

/* Copies Linux's registers. Those that VMLOAD loads stay in the processor. */
static void guest_fill(struct vmcb *vmcb)
{
	struct desc_ptr gdt, idt;
	u16 selector;

	native_store_gdt(&gdt);
	store_idt(&idt);
	vmcb->gdtr = (struct vmcb_segment){ .limit = gdt.size, .base = gdt.address };
	vmcb->idtr = (struct vmcb_segment){ .limit = idt.size, .base = idt.address };
	savesegment(cs, selector);
	vmcb->cs = segment_of(selector, &gdt);
	savesegment(ss, selector);
	vmcb->ss = segment_of(selector, &gdt);
	savesegment(ds, selector);
	vmcb->ds = segment_of(selector, &gdt);
	savesegment(es, selector);
	vmcb->es = segment_of(selector, &gdt);
	rdmsrq(MSR_EFER, vmcb->efer);
	vmcb->efer |= EFER_SVME;
	vmcb->cr0 = read_cr0();
	vmcb->cr2 = read_cr2();
	vmcb->cr3 = __native_read_cr3();
	vmcb->cr4 = native_read_cr4();
	get_debugreg(vmcb->dr6, 6);
	get_debugreg(vmcb->dr7, 7);
	rdmsrq(MSR_IA32_CR_PAT, vmcb->pat);
}

static void launch_here(void *unused)
{
	struct bare_launch *launch = this_cpu_ptr(&svm_launch);
	u64 efer;

	rdmsrq(MSR_EFER, efer);
	if (efer & EFER_SVME)
		return; /* another hypervisor's */
	wrmsrq(MSR_EFER, efer | EFER_SVME);
	wrmsrq(MSR_VM_HSAVE_PA, launch->save);
	guest_fill(launch->vmcb);
	bare_launch(launch);
	cpumask_set_cpu(smp_processor_id(), &beneath);
}

/* Leaves the layer on this CPU, unless a system runs. */
static void leave_here(void *unused)
{
	long exits = BARE_CALL_LEAVE;

	if (!cpumask_test_cpu(smp_processor_id(), &beneath))
		return;
	asm volatile("vmmcall" : "+a"(exits) : : "memory");
	if (exits < 0)
		return;
	cpumask_clear_cpu(smp_processor_id(), &beneath);
	wrmsrq(MSR_VM_HSAVE_PA, 0);
	pr_debug("limpet: CPU %u left after %ld exits\n", smp_processor_id(), exits);
}

void svm_enter(void)
{
	on_each_cpu(launch_here, NULL, 1);
}

void svm_adopt(void)
{
	adopted = true;
	cpumask_copy(&beneath, cpu_present_mask);
}

const struct cpumask *svm_cpus(void)
{
	return &beneath;
}

bool beneath_has_cpu(unsigned int cpu)
{
	return cpumask_test_cpu(cpu, &beneath);
}

bool beneath_allows_cpu(unsigned int cpu)
{
	return cpumask_empty(&beneath) || beneath_has_cpu(cpu);
}

/* An online CPU leaves by itself, and the layer releases an offline one. */
void svm_leave(void)
{
	unsigned int cpu;

	if (adopted)
		return;
	cpus_read_lock();
	for_each_cpu(cpu, &beneath)
		if (!cpu_online(cpu) && !beneath_call(BARE_CALL_RELEASE, (void *)(word)cpu, 0))
			cpumask_clear_cpu(cpu, &beneath);
	on_each_cpu(leave_here, NULL, 1);
	features_restore();
	cpus_read_unlock();
}

/* Interrupts are disabled, because one of them could make the CPU leave. */
long beneath_call(enum bare_call call, void *argument, u64 size)
{
	unsigned long flags;
	long result = -ENODEV;

	local_irq_save(flags);
	if (cpumask_test_cpu(smp_processor_id(), &beneath)) {
		result = call;
		asm volatile("vmmcall" : "+a"(result) : "D"(argument), "S"(size) : "memory");
	}
	local_irq_restore(flags);
	return result;
}
