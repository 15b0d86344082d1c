// SPDX-License-Identifier: GPL-2.0
/*
 * Reads and clears machine-check banks as Linux does on an AMD Zen, whose banks have separate MSRs (SMCA):
 *
 *   insmod banks.ko
 *   echo 1 >/sys/module/banks/parameters/poll    calls machine_check_poll(), which then uses these MSRs
 *   /sys/module/banks/parameters/polled          banks whose status it has read
 *   /sys/module/banks/parameters/refused         registers of all banks that could not be read or cleared
 *   /sys/module/banks/parameters/beyond          registers after the last bank that could be read
 *   /sys/module/banks/parameters/interrupts      registers in which an SMI could be enabled
 *
 * Linux chooses the MSRs of the banks at boot, by CPUID. Here a kprobe changes the MSR's number directly before
 * machine_check_poll() calls mce_rdmsrl(), or mce_rdmsrq() since 6.16. That function, and its panic after a fault, are
 * Linux's.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <asm/mce.h>
#include "compat.h"

#define LEGACY_STATUS 0x401 /* of bank 0; four registers a bank */
#define LEGACY_MISC 0x403
#define FIRST 0xc0002000 /* 16 registers a bank */
#define REGISTERS 16
#define STATUS 1
#define MISC 3
#define CONFIG 4
#define SMI_MISC (2ull << 49)
#define SMI_CONFIG (2ull << 37)
#define CALL 0xe8
#define CALL_LENGTH 5
#define LOOK 0x400 /* bytes of machine_check_poll() that are searched for the call */

static unsigned int banks, polled, refused, beyond, interrupts;
module_param(banks, uint, 0444);
module_param(polled, uint, 0444);
module_param(refused, uint, 0444);
module_param(beyond, uint, 0444);
module_param(interrupts, uint, 0444);

static int as_on_zen(struct kprobe *probe, struct pt_regs *regs)
{
	u32 msr = (u32)regs->di;

	if (msr < LEGACY_STATUS || (msr - LEGACY_STATUS) % 4 || msr >= FIRST)
		return 0;
	regs->di = FIRST + (msr - LEGACY_STATUS) / 4 * REGISTERS + STATUS;
	polled++;
	return 0;
}

static struct kprobe at_call = { .pre_handler = as_on_zen };

/* Returns the address of a function that is not exported to modules, or 0. */
static unsigned long symbol_find(const char *name)
{
	struct kprobe probe = { .symbol_name = "kallsyms_lookup_name" };
	unsigned long (*lookup)(const char *name);

	if (register_kprobe(&probe))
		return 0;
	lookup = (void *)probe.addr;
	unregister_kprobe(&probe);
	return lookup(name);
}

static u8 *call_find(u8 *code, unsigned long to)
{
	for (u8 *at = code; at < code + LOOK; at++)
		if (*at == CALL && (unsigned long)at + CALL_LENGTH + *(s32 *)(at + 1) == to)
			return at;
	return NULL;
}

static int poll_set(const char *text, const struct kernel_param *parameter)
{
	mce_banks_t all;

	bitmap_fill(all, MAX_NR_BANKS);
	polled = 0;
	machine_check_poll(0, &all);
	return 0;
}

static const struct kernel_param_ops poll_ops = { .set = poll_set };
module_param_cb(poll, &poll_ops, NULL, 0200);

/* Returns whether a value can be written to a register. Clears the register afterwards. */
static bool can_write(u32 msr, u64 value)
{
	bool written = !wrmsrq_safe(msr, value);

	return !wrmsrq_safe(msr, 0) && written;
}

static void registers_try(void)
{
	u64 value;

	for (u32 i = 0; i < banks * REGISTERS; i++)
		refused += !!rdmsrq_safe(FIRST + i, &value);
	for (u32 i = 0; i < banks; i++) {
		refused += !can_write(FIRST + i * REGISTERS + STATUS, 0);
		interrupts += can_write(FIRST + i * REGISTERS + MISC, SMI_MISC) +
			      can_write(FIRST + i * REGISTERS + CONFIG, SMI_CONFIG) +
			      can_write(LEGACY_MISC + i * 4, SMI_MISC);
	}
	for (u32 i = banks * REGISTERS; i < 0x1000; i++)
		beyond += !rdmsrq_safe(FIRST + i, &value);
}

static int __init banks_init(void)
{
	u64 capabilities;

	rdmsrq(MSR_IA32_MCG_CAP, capabilities);
	banks = capabilities & 0xff;
	at_call.addr =
		(kprobe_opcode_t *)call_find((u8 *)machine_check_poll, symbol_find(MCE_READ));
	if (!banks || !at_call.addr) {
		pr_err("banks: %u banks; the call of " MCE_READ "() is%s found\n", banks,
		       at_call.addr ? "" : " not");
		return -ENODEV;
	}
	registers_try();
	return register_kprobe(&at_call);
}

static void __exit banks_exit(void)
{
	unregister_kprobe(&at_call);
}

module_init(banks_init);
module_exit(banks_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Machine-check banks as on an AMD Zen, for Limpet's tests");
