// SPDX-License-Identifier: GPL-2.0
/*
 * Handles the guest's MSR accesses that exit: the MSRs that policy.c guards, and all MSRs outside the three ranges of
 * the permission map (APM vol. 2 section 15.11). Outside these ranges only the machine-check banks of SMCA are passed
 * on. Other accesses there are refused without an access to the processor, because a hypervisor below the layer may
 * define MSRs of its own.
 */
#include <host/bare/bare.h>

#define MSR_BANK_COUNT 0x179u
#define MSR_MTRR_DEFAULT 0x2ffu
#define MSR_SMCA 0xc0002000u /* 16 registers a bank (PPR, "MCA registers") */
#define BANK_MISC 3
#define BANK_CONFIG 4
#define BANK_MISC_1 10
#define BANK_MISC_4 13
/* Position of the two bits of these registers that select the interrupt of an error; 2 selects an SMI. */
#define MISC_INTERRUPT 49
#define CONFIG_INTERRUPT 37
#define INTERRUPT_SMI 2u
#define EFER_ALLOWED 0xd01ul	 /* SCE, LME, LMA, NXE */
#define EFER_OPTIONAL 0x20c000ul /* FFXSR, TCE, AIBRSE: allowed if Linux used them at attach */

/* Returns the index of an MSR in its machine-check bank, or -1 if the processor has no such bank. */
static int bank_register(u32 msr)
{
	u32 banks = (u32)bare_msr_read(MSR_BANK_COUNT) & 0xff;

	if (msr - BARE_MSR_BANKS < banks * 4)
		return (int)((msr - BARE_MSR_BANKS) % 4);
	return msr - MSR_SMCA < banks * 16 ? (int)((msr - MSR_SMCA) % 16) : -1;
}

/*
 * Writes a register of a machine-check bank. Returns false if the processor has no such bank, or if the value makes
 * errors raise SMIs and the firmware's value does not.
 */
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

static bool msr_get(const struct bare_cpu *cpu, u32 msr, u64 *value)
{
	if (msr == BARE_MSR_EFER) {
		*value = vm_efer(&cpu->vm);
		return true;
	}
	if (vm_msr_get(msr, value) || bare_apic_msr_read(cpu, msr, value))
		return true;
	if (msr < MSR_SMCA || bank_register(msr) < 0)
		return false;
	*value = bare_msr_read(msr);
	return true;
}

static bool msr_set(struct bare_cpu *cpu, u32 msr, u64 value)
{
	switch (msr) {
	case BARE_MSR_EFER:
		if (value & ~EFER_ALLOWED & ~(bare_msr_read(msr) & EFER_OPTIONAL))
			return false;
		vm_efer_set(&cpu->vm, value);
		return true;
	case MSR_MTRR_DEFAULT: /* ignored, because a starting guest writes it twice; memory types do not change */
		return true;
	case BARE_MSR_APIC_BASE: /* the guest cannot move the APIC or switch it off */
		return value == bare_msr_read(BARE_MSR_APIC_BASE);
	}
	return vm_msr_ignored(msr, value) || bare_apic_msr_write(cpu, msr, value) ||
	       bank_write(msr, value);
}

bool bare_msr_exit(struct bare_cpu *cpu, bool write)
{
	struct vm_regs *regs = &cpu->vm.regs;
	u64 *ax = vm_register(&cpu->vm, 0), value = regs->dx << 32 | (u32)*ax;
	u32 msr = (u32)regs->cx;

	cpu->refused = false;
	if (!(write ? msr_set(cpu, msr, value) : msr_get(cpu, msr, &value)) || cpu->refused)
		return false;
	if (!write) {
		*ax = (u32)value;
		regs->dx = value >> 32;
	}
	return true;
}
