// SPDX-License-Identifier: GPL-2.0
/* Tests the guest's MSR accesses that exit, on a simulated processor with three machine-check banks. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <host/bare/bare.h>

#include <cmocka.h>

#define BANKS 3u
#define COUNT 0x179u
#define SMCA 0xc0002000u
#define APIC_BASE 0x1bu
#define MISC 3u
#define CONFIG 4u
#define MISC_SMI (2ul << 49)
#define MISC_APIC (1ul << 49)
#define CONFIG_SMI (2ul << 37)
#define CONFIG_APIC (1ul << 37)

#define MSR_VM_CR 0xc0010114u
#define MSR_VM_HSAVE 0xc0010117u

static struct vmcb vmcb;
static struct bare_cpu cpu = { .vm.vmcb = &vmcb };
static u64 bank[BANKS * 16]; /* in the layout of SMCA */
static u64 efer;	     /* the layer's own: Linux's at attach, with SVME */
static u32 absent;	     /* an MSR that the processor refuses, or 0 */
static unsigned int accesses;

static u64 *register_of(u32 msr)
{
	if (msr - 0x400 < BANKS * 4)
		return &bank[(msr - 0x400) / 4 * 16 + (msr - 0x400) % 4];
	return msr - SMCA < BANKS * 16 ? &bank[msr - SMCA] : NULL;
}

static bool is_there(u32 msr)
{
	accesses++;
	if (msr && msr == absent)
		cpu.refused = true;
	else
		assert_non_null(register_of(msr)); /* other accesses do not reach the processor */
	return msr != absent;
}

u64 bare_msr_read(u32 msr)
{
	if (msr == COUNT)
		return 0x1000100 | BANKS;
	if (msr == APIC_BASE)
		return 0xfee00900;
	if (msr == BARE_MSR_EFER)
		return efer;
	return is_there(msr) ? *register_of(msr) : 0;
}

void bare_msr_write(u32 msr, u64 value)
{
	if (is_there(msr))
		*register_of(msr) = value;
}

bool bare_apic_msr_read(const struct bare_cpu *b, u32 msr, u64 *value)
{
	assert_ptr_equal(b, &cpu);
	*value = 7;
	return msr == BARE_MSR_APIC;
}

bool bare_apic_msr_write(struct bare_cpu *b, u32 msr, u64 value)
{
	assert_ptr_equal(b, &cpu);
	return msr == BARE_MSR_APIC && value == 7;
}

static int begin(void **state)
{
	(void)state;
	memset(bank, 0, sizeof(bank));
	absent = 0;
	accesses = 0;
	return 0;
}

static bool get(u32 msr, u64 *value)
{
	cpu.vm.regs.cx = 0xabcd00000000ul | msr; /* the upper half is ignored */
	cpu.vm.regs.dx = vmcb.ax = ~0ul;
	if (!bare_msr_exit(&cpu, false)) {
		assert_int_equal(cpu.vm.regs.dx & vmcb.ax, ~0ul);
		return false;
	}
	assert_int_equal(cpu.vm.regs.dx >> 32 | vmcb.ax >> 32, 0);
	*value = cpu.vm.regs.dx << 32 | vmcb.ax;
	return true;
}

static bool set(u32 msr, u64 value)
{
	cpu.vm.regs.cx = 0xabcd00000000ul | msr;
	cpu.vm.regs.dx = 0xabcd00000000ul | value >> 32;
	vmcb.ax = 0xabcd00000000ul | (u32)value;
	return bare_msr_exit(&cpu, true);
}

/* All registers of existing banks can be read and written. MSRs after them are refused. */
static void test_banks(void **state)
{
	u64 value;

	(void)state;
	for (u32 i = 0; i < BANKS * 16; i++) {
		u64 wanted = 0x8000000100000000ul + i;

		assert_true(set(SMCA + i, wanted));
		assert_int_equal(bank[i], wanted);
		bank[i] = ~wanted & ~MISC_SMI;
		assert_true(get(SMCA + i, &value));
		assert_int_equal(value, bank[i]);
	}
	accesses = 0;
	for (u32 msr = SMCA + BANKS * 16; msr < SMCA + 0x1000; msr++)
		assert_false(get(msr, &value) || set(msr, 0));
	assert_false(get(SMCA - 1, &value) || set(SMCA - 1, 0));
	assert_int_equal(accesses, 0);
}

/* Other MSRs that the permission map does not cover, or guards, do not reach the processor. */
static void test_others(void **state)
{
	static const u32 others[] = { 0x2000,	  0x40000000, 0x400000f0, 0x4b564d01, 0x80000000,
				      0xbfffffff, 0xc0003000, 0xc000ffff, 0xc0012000, 0xffffffff };
	static const u32 guarded[] = { 0x10, 0x200, 0x500, 0xc0010015, 0x400 + BANKS * 4 + MISC };
	u64 value;

	(void)state;
	for (unsigned int i = 0; i < countof(others); i++)
		assert_false(get(others[i], &value) || set(others[i], 0));
	for (unsigned int i = 0; i < countof(guarded); i++)
		assert_false(set(guarded[i], 0));
	assert_int_equal(accesses, 0);
}

/* An access that the processor refuses is an invalid operation for the guest. The next access succeeds. */
static void test_refused(void **state)
{
	u64 value;

	(void)state;
	absent = SMCA + 16 + 5;
	assert_false(get(absent, &value) || set(absent, 0));
	assert_int_equal(accesses, 2);
	assert_true(get(absent + 1, &value) && set(absent + 1, 0));
	absent = SMCA + MISC; /* refused when the layer reads the old value */
	assert_false(set(absent, MISC_SMI));
}

/* The guest can let errors interrupt by the APIC. It can select an SMI only if the firmware did. */
static void test_smi(void **state)
{
	static const u32 misc[] = { 0x400 + MISC, 0x404 + MISC, SMCA + MISC, SMCA + 10, SMCA + 13 };

	(void)state;
	for (unsigned int i = 0; i < countof(misc); i++) {
		assert_false(set(misc[i], MISC_SMI | 1));
		assert_int_equal(*register_of(misc[i]), 0);
		assert_true(set(misc[i], MISC_APIC | 1));
		assert_false(set(misc[i], MISC_SMI | 1));
		*register_of(misc[i]) = MISC_SMI;
		assert_true(set(misc[i], MISC_SMI | 2));
		assert_int_equal(*register_of(misc[i]), MISC_SMI | 2);
		assert_true(set(misc[i], 0));
		assert_false(set(misc[i], MISC_SMI));
	}
	/* MISC's bits have another meaning in CONFIG, and STATUS has neither field. */
	assert_true(set(SMCA + CONFIG, CONFIG_APIC | MISC_SMI));
	assert_false(set(SMCA + CONFIG, CONFIG_SMI));
	assert_true(set(SMCA + 16 + 1, CONFIG_SMI | MISC_SMI));
}

/* MSRs that the layer answers itself keep its values. */
static void test_answered(void **state)
{
	static const u64 optional[] = { 1 << 14, 1 << 15, 1 << 21 }; /* FFXSR, TCE, AIBRSE */
	u64 value;

	(void)state;
	vmcb.efer = 0x1d01;
	assert_true(get(BARE_MSR_EFER, &value));
	assert_int_equal(value, 0xd01);
	assert_true(set(BARE_MSR_EFER, 0x501));
	assert_int_equal(vmcb.efer, 0x1501);
	assert_false(set(BARE_MSR_EFER, 0x1501));
	for (unsigned int i = 0; i < countof(optional); i++) {
		efer = 0x1d01; /* Linux did not use it */
		assert_false(set(BARE_MSR_EFER, 0x501 | optional[i]));
		efer |= optional[i];
		assert_true(set(BARE_MSR_EFER, 0x501 | optional[i]));
		assert_true(get(BARE_MSR_EFER, &value) && value == (0x501 | optional[i]));
		assert_false(set(BARE_MSR_EFER, 0x1501 | optional[i]));
	}
	assert_true(get(MSR_VM_CR, &value));
	assert_int_equal(value, 0x18);
	assert_false(get(MSR_VM_HSAVE, &value));
	assert_true(set(MSR_VM_HSAVE, 0)); /* Linux 6.1, on a CPU that stops for a reboot */
	assert_false(set(MSR_VM_HSAVE, 0x1000));
	assert_true(get(BARE_MSR_APIC, &value) && value == 7);
	assert_true(set(BARE_MSR_APIC, 7));
	assert_false(set(BARE_MSR_APIC, 8));
	assert_true(set(APIC_BASE, 0xfee00900));
	assert_false(set(APIC_BASE, 0xfee00100));
	assert_int_equal(accesses, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_banks, begin),
		cmocka_unit_test_setup(test_others, begin),
		cmocka_unit_test_setup(test_refused, begin),
		cmocka_unit_test_setup(test_smi, begin),
		cmocka_unit_test_setup(test_answered, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
