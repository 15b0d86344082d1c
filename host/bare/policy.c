// SPDX-License-Identifier: GPL-2.0
/* Fills the maps of MSRs and ports with the guest's accesses that exit. */
#include <host/bare/bare.h>

#define BANK_MISC 3u

/*
 * MSRs that the guest may write. Most are its own, because an entry loads them or the layer and components do
 * not use them. Frequency and speculation also change how fast components run. A write of any other MSR is an invalid
 * operation: time (the TSC and its adjustment), memory types (MTRRs), the address of the APIC, SVM, and the registers
 * that AMD calls configuration. The guest may read all MSRs except those that no longer exist for it. An MSR outside
 * the map's ranges always exits (msr.c).
 */
static const struct {
	u32 first, last;
} written_freely[] = {
	{ 0x48, 0x49 },	  /* speculation: control, predictor barrier */
	{ 0x10b, 0x10b }, /* flush of the L1 data cache */
	{ 0x174, 0x176 }, /* SYSENTER */
	{ 0x179, 0x17b }, /* machine check: global */
	{ 0x1d9, 0x1d9 }, /* debug control */
	{ 0x277, 0x277 }, /* page attributes: the guest's are in its control block */
	{ BARE_MSR_BANKS, BARE_MSR_BANKS_LAST },
	{ 0x6a0, 0x6a8 },	    /* shadow stacks */
	{ 0xda0, 0xda0 },	    /* extended states of the supervisor */
	{ 0xc0000081, 0xc0000084 }, /* system call */
	{ 0xc0000100, 0xc0000103 }, /* FS, GS, kernel's GS, TSC_AUX */
	{ 0xc000010e, 0xc000010f }, /* last branches */
	{ 0xc0000300, 0xc0000303 }, /* performance counters: global */
	{ 0xc0010000, 0xc0010007 }, /* performance counters */
	{ 0xc0010062, 0xc0010062 }, /* processor frequency */
	{ 0xc0010200, 0xc001020b }, /* performance counters */
	{ 0xc0010230, 0xc001023b }, /* counters of the L3 cache */
	{ 0xc0010240, 0xc0010247 }, /* counters of the north bridge */
	{ 0xc00102b0, 0xc00102b4 }, /* processor frequency */
	{ 0xc0011030, 0xc001103b }, /* sampling by instructions */
};

/* MSRs whose reads the layer emulates. */
static const struct {
	u32 first, last;
} answered[] = {
	{ BARE_MSR_DEADLINE, BARE_MSR_DEADLINE },
	{ BARE_MSR_APIC, BARE_MSR_APIC_LAST },
	{ BARE_MSR_EFER, BARE_MSR_EFER },
};

void bare_msrs_intercept(u8 *map)
{
	vm_msr_map_make(map);
	for (unsigned int i = 0; i < countof(written_freely); i++)
		for (u32 msr = written_freely[i].first; msr <= written_freely[i].last; msr++)
			vm_msr_map(map, msr, VM_MSR_WRITE, false);
	for (u32 msr = BARE_MSR_BANKS + BANK_MISC; msr <= BARE_MSR_BANKS_LAST; msr += 4)
		vm_msr_map(map, msr, VM_MSR_WRITE, true); /* msr.c: it could enable SMIs */
	for (unsigned int i = 0; i < countof(answered); i++)
		for (u32 msr = answered[i].first; msr <= answered[i].last; msr++)
			vm_msr_map(map, msr, VM_MSR_READ, true);
}

void bare_ports_intercept(u8 *bitmap, u16 reset)
{
	static const u16 ports[] = { BARE_PORT_RESET, BARE_PORT_KEYBOARD, BARE_PORT_SYSTEM };

	for (unsigned int i = 0; i < countof(ports); i++)
		bitmap[ports[i] / 8] |= 1u << ports[i] % 8;
	if (reset)
		bitmap[reset / 8] |= 1u << reset % 8;
}
