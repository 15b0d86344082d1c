// SPDX-License-Identifier: GPL-2.0
/*
 * The guest's accesses of MSRs that exit: those that policy.c guards, and all outside the three ranges of
 * the permission map (APM vol. 2 section 15.11). Of these only the machine-check banks of SMCA exist; the
 * others are refused without asking the processor, since a hypervisor below may have its own there.
 */
#include <host/bare/bare.h>

#define MSR_APIC_BASE 0x1bu
#define MSR_BANK_COUNT 0x179u
#define MSR_MTRR_DEFAULT 0x2ffu
#define MSR_SMCA 0xc0002000u /* 16 registers a bank (PPR, "MCA registers") */
#define BANK_MISC 3
#define BANK_CONFIG 4
#define BANK_MISC_1 10
#define BANK_MISC_4 13
/* In these registers, two bits that say which interrupt an error raises; 2: an SMI. */
#define MISC_INTERRUPT 49
#define CONFIG_INTERRUPT 37
#define INTERRUPT_SMI 2u
#define EFER_ALLOWED 0xd01ul /* SCE, LME, LMA, NXE */

/* The register of a machine-check bank that this MSR is; -1: of no bank that the processor has. */
static int bank_register(u32 msr)
{
	u32 banks = (u32)bare_msr_read(MSR_BANK_COUNT) & 0xff;

	if (msr - BARE_MSR_BANKS < banks * 4)
		return (int)((msr - BARE_MSR_BANKS) % 4);
	return msr - MSR_SMCA < banks * 16 ? (int)((msr - MSR_SMCA) % 16) : -1;
}

/* Banks are the guest's, but for SMIs: errors raise them where the firmware has said so, and nowhere else. */
static bool bank_write(u32 msr, u64 value)
{
	int n = bank_register(msr);
	bool misc = n == BANK_MISC || (n >= BANK_MISC_1 && n <= BANK_MISC_4);
	unsigned int shift = misc ? MISC_INTERRUPT : CONFIG_INTERRUPT;

	if (n < 0)
		return false;
	if ((misc || n == BANK_CONFIG) && (value >> shift & 3) == INTERRUPT_SMI &&
	    (bare_msr_read(msr) >> shift & 3) != INTERRUPT_SMI)
		return false;
	bare_msr_write(msr, value);
	return true;
}

static bool msr_get(const struct bare_cpu *b, u32 msr, u64 *value)
{
	if (msr == BARE_MSR_EFER) {
		*value = vm_efer(&b->vm);
		return true;
	}
	if (vm_msr_get(msr, value) || bare_apic_msr_read(b, msr, value))
		return true;
	if (msr < MSR_SMCA || bank_register(msr) < 0)
		return false;
	*value = bare_msr_read(msr);
	return true;
}

static bool msr_set(struct bare_cpu *b, u32 msr, u64 value)
{
	switch (msr) {
	case BARE_MSR_EFER:
		if (value & ~EFER_ALLOWED)
			return false;
		vm_efer_set(&b->vm, value);
		return true;
	case MSR_MTRR_DEFAULT: /* the types of memory stay as they are: a guest that starts says so twice */
		return true;
	case MSR_APIC_BASE: /* where the APIC is, and that it is on, is not the guest's to change */
		return value == bare_msr_read(MSR_APIC_BASE);
	}
	return bare_apic_msr_write(b, msr, value) || bank_write(msr, value);
}

bool bare_msr_exit(struct bare_cpu *b, bool write)
{
	struct vm_regs *regs = &b->vm.regs;
	u64 *ax = vm_register(&b->vm, 0), value = regs->dx << 32 | (u32)*ax;
	u32 msr = (u32)regs->cx;

	b->refused = false;
	if (!(write ? msr_set(b, msr, value) : msr_get(b, msr, &value)) || b->refused)
		return false;
	if (!write) {
		*ax = (u32)value;
		regs->dx = value >> 32;
	}
	return true;
}
