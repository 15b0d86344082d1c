// SPDX-License-Identifier: GPL-2.0
/*
 * The entry points that are ours while a host thread is on the CPU: the system call MSRs. The IDT is
 * loaded later still, only while components execute (entry/switch.c).
 */
#include <linux/cache.h>
#include <linux/mm.h>
#include <asm/desc.h>
#include <asm/msr.h>
#include <asm/tlbflush.h>

#include <host/linux/compat.h>
#include <host/linux/parts.h>

#define VECTOR_INT80 0x80

/* Constant while the module is loaded: prepared at attach, read-only afterwards. */
static gate_desc idt[256] __aligned(PAGE_SIZE) __ro_after_init;

/* What Linux has in an MSR of its system call entry, on every CPU. */
struct host_msrs {
	u64 lstar, cstar, sysenter_cs;
};
static struct host_msrs host_msrs __ro_after_init;

/* A copy of the host's IDT that points to our stubs; `int 0x80` is for no component. */
static void __init idt_prepare(void)
{
	const gate_desc *host = (const gate_desc *)entry_idt_host.base;

	for (unsigned int i = 0; i < 256; i++) {
		unsigned long stub = (unsigned long)entry_stubs[i];

		idt[i] = host[i];
		entry_host_vector[i] = gate_offset(&host[i]);
		idt[i].offset_low = (u16)stub;
		idt[i].offset_middle = (u16)(stub >> 16);
		idt[i].offset_high = (u32)(stub >> 32);
	}
	idt[VECTOR_INT80].bits.dpl = 0;
	entry_idt_ours = (struct entry_idt){ sizeof(idt) - 1, (unsigned long)idt };
}

static void msrs_read(struct host_msrs *msrs)
{
	rdmsrl(MSR_LSTAR, msrs->lstar);
	rdmsrl(MSR_CSTAR, msrs->cstar);
	rdmsrl(MSR_IA32_SYSENTER_CS, msrs->sysenter_cs);
}

static void __init msrs_compare(void *differs)
{
	struct host_msrs here;

	msrs_read(&here);
	if (memcmp(&here, &host_msrs, sizeof(here)))
		*(bool *)differs = true;
}

/* A hypervisor may have left a guest's values in the MSRs of a CPU for a moment. */
static int __init msrs_prepare(void)
{
	bool differs = false;

	msrs_read(&host_msrs);
	on_each_cpu(msrs_compare, &differs, 1);
	if (!differs)
		return 0;
	pr_err(REFUSED
	       "the CPUs have different system call entries; a hypervisor uses them: stop its guests\n");
	return -EBUSY;
}

int __init hook_prepare(void)
{
	struct desc_ptr ptr;
	int error = msrs_prepare();

	if (error)
		return error;
	store_idt(&ptr);
	entry_idt_host = (struct entry_idt){ ptr.size, ptr.address };
	idt_prepare();
	entry_host_syscall = host_msrs.lstar;
	entry_host_cstar = host_msrs.cstar;
	entry_cr3_keep = native_read_cr4() & X86_CR4_PCIDE ? 1ul << 63 : 0;
	return 0;
}

void hook_arm(void)
{
	native_wrmsrl(MSR_LSTAR, (unsigned long)entry_syscall);
	native_wrmsrl(MSR_CSTAR, (unsigned long)entry_cstar);
	native_wrmsr(MSR_IA32_SYSENTER_CS, 0, 0); /* SYSENTER becomes a general-protection fault */
}

void hook_disarm(void)
{
	native_wrmsrl(MSR_LSTAR, host_msrs.lstar);
	native_wrmsrl(MSR_CSTAR, host_msrs.cstar);
	native_wrmsrl(MSR_IA32_SYSENTER_CS, host_msrs.sysenter_cs);
}
