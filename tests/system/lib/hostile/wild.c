// SPDX-License-Identifier: GPL-2.0
/*
 * Acts that Linux does not survive for long. Each seed draws some kinds of them, then acts of those kinds. The acts
 * exclude things that no layer can guard, and things that Linux may do:
 *
 *   memory that is not RAM for Linux          firmware's tables, from which the next Linux learns the machine
 *   ports of fw_cfg                           a DMA engine's doorbell: only an IOMMU stops that
 *   ports 0x600 to 0x63f, 0xae00 to 0xafff    power off; taking PCI devices and processors out
 *   configuration of functions 0:0.0, 0:1.3   where memory and those ports are (chipset)
 *   ports of COM2                             the line on which this test is judged
 */
#include "compat.h"
#include "hostile.h"

#include <linux/io.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/panic.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <linux/timer.h>
#include <asm/apicdef.h>
#include <asm/asm.h>

#define TABLE 0x000ffffffffff000ull
#define OFF_MAX 100000 /* thousands of instructions */
#define WORDS_MAX 64
#define FLOOD_MAX 2000
#define COM1 0x3f8
#define COM2 0x2f8
#define PCI 0xcf8
#define PCI_ENABLED (1u << 31)
#define IO_APIC 0xfec00000ul
#define HPET 0xfed00000ul
#define GIB (1ull << 30)

static u64 kinds;
static volatile u32 *io_apic, *hpet;

/* Prints a line to COM2, which has no other user now. */
void wild_report(const char *line)
{
	for (; *line; line++)
		outb((u8)*line, COM2);
	outb('\n', COM2);
}

/* --- memory */

/* Returns the end of memory. The hidden memory is the highest. */
static u64 memory_end(void)
{
	return ALIGN(at + size, GIB);
}

/* Returns a random word of RAM, or NULL if the address is not RAM. */
static u64 *word_of_ram(void)
{
	u64 physical = below(memory_end()) & ~7ull;

	return page_is_ram(physical >> PAGE_SHIFT) ? phys_to_virt(physical) : NULL;
}

static void memory_write(void)
{
	for (u64 n = below(WORDS_MAX); n; n--) {
		u64 *to = word_of_ram();

		if (to)
			write_word(to, odd_value());
	}
}

/* Returns an entry of an active table, on a random level. */
static void remap(void)
{
	u64 cr3, *table;

	asm volatile("mov %%cr3, %0" : "=r"(cr3));
	table = phys_to_virt(cr3 & TABLE);
	for (u64 level = below(4); level; level--) {
		u64 entry = 0;

		for (int tries = 0; tries < 100 && !(entry & 1); tries++)
			entry = table[below(512)];
		if (!(entry & 1) || entry & 0x80)
			break;
		table = phys_to_virt(entry & TABLE);
	}
	for (u64 n = 1 + below(8); n; n--)
		write_word(&table[below(512)],
			   below(2) ? (at + below(size)) | (any() & 0xfff) : odd_value());
	asm volatile("mov %0, %%cr3" : : "r"(cr3) : "memory");
}

static u64 address_of_some(void)
{
	switch (below(5)) {
	case 0:
		return (u64)&panic + below(1 << 24) - (1 << 23);
	case 1:
		return (u64)phys_to_virt(at + below(size));
	case 2:
		return (u64)phys_to_virt(below(memory_end()));
	case 3:
		return (u64)&wild_act + below(0x1000);
	default:
		return odd_value();
	}
}

static void jump(void)
{
	((void (*)(void))address_of_some())();
}

/* --- the processor */

static void off(void)
{
	unsigned long flags;

	local_irq_save(flags);
	for (u64 n = below(OFF_MAX); n; n--) /* PAUSE is slow in QEMU */
		asm volatile(".rept 1000\n\tnop\n\t.endr");
	local_irq_restore(flags);
}

static void silence(void)
{
	local_irq_disable();
	for (;;)
		if (kinds & 1)
			asm volatile("hlt");
		else
			asm volatile(".rept 500\n\tnop\n\t.endr");
}

#define TRY_LOAD(to, value)                                                                        \
	asm volatile("1: mov %0, %%" to "\n2:\n" _ASM_EXTABLE(1b, 2b) : : "r"(value) : "memory")
#define FLIP(which, value)                                                                         \
	({                                                                                         \
		u64 was;                                                                           \
		asm volatile("mov %%" which ", %0" : "=r"(was));                                   \
		TRY_LOAD(which, was ^ (value));                                                    \
	})

static void control(void)
{
	u64 bit = 1ull << below(below(4) ? 32 : 64);

	switch (below(8)) {
	case 0:
		FLIP("cr0", bit);
		break;
	case 1:
		TRY_LOAD("cr2", any());
		break;
	case 2:
		FLIP("cr3", bit);
		break;
	case 3:
		FLIP("cr4", bit);
		break;
	case 4:
		TRY_LOAD("cr8", below(16));
		break;
	case 5:
		asm volatile("1: xsetbv\n2:\n" _ASM_EXTABLE(1b, 2b)
			     :
			     : "a"((u32)odd_value() | 1), "d"(below(2) ? 0 : (u32)any()),
			       "c"(below(3)));
		break;
	case 6:
		TRY_LOAD("db0", address_of_some());
		TRY_LOAD("db7", any() & 0xffff07ff);
		break;
	default:
		TRY_LOAD("db6", any() & 0xffffffff);
		break;
	}
}

static void tables(void)
{
	const struct {
		u16 limit;
		u64 base;
	} __packed table = { (u16)any(), address_of_some() };

	switch (below(4)) {
	case 0:
		asm volatile("1: lidt %0\n2:\n" _ASM_EXTABLE(1b, 2b) : : "m"(table));
		break;
	case 1:
		asm volatile("1: lgdt %0\n2:\n" _ASM_EXTABLE(1b, 2b) : : "m"(table));
		break;
	case 2:
		asm volatile("1: ltr %w0\n2:\n" _ASM_EXTABLE(1b, 2b) : : "r"((u32)any() & 0xff));
		break;
	default:
		asm volatile("1: lldt %w0\n2:\n" _ASM_EXTABLE(1b, 2b) : : "r"((u32)any() & 0xff));
		break;
	}
}

/* --- the local APIC */

static void apic_write_any(void)
{
	for (u64 n = 1 + below(20); n; n--)
		*apic_register(0x10 * (unsigned int)below(0x100)) = (u32)odd_value();
}

static void flood(void)
{
	u32 command = (below(2) ? APIC_DM_NMI : 32 + (u32)below(224)) | (u32)below(4) << 18;

	for (u64 n = below(FLOOD_MAX); n; n--) {
		*apic_register(APIC_ICR2) = (u32)(below(3) << 24);
		*apic_register(APIC_ICR) = command;
	}
}

/* --- the machine */

static bool within(u32 port, u32 size, u32 first, u32 last)
{
	return port + size > first && port <= last;
}

static bool port_left_out(u32 port, u32 size)
{
	return within(port, size, COM2, COM2 + 7) || within(port, size, 0x510, 0x51b) ||
	       within(port, size, 0x600, 0x63f) || within(port, size, 0xae00, 0xafff);
}

static void port_write(u32 port, u32 size, u32 value)
{
	if (size == 1)
		outb((u8)value, port);
	else if (size == 2)
		outw((u16)value, port);
	else
		outl(value, port);
}

static void port_read(u32 port, u32 size)
{
	if (size == 1)
		inb(port);
	else if (size == 2)
		inw(port);
	else
		inl(port);
}

static void port(void)
{
	static const u16 famous[] = { 0x20, 0x21,  0xa0,  0xa1,	 0x40,	0x41, 0x42,  0x43,
				      0x60, 0x61,  0x64,  0x70,	 0x71,	0x80, 0x92,  0xb2,
				      0xb3, 0xcf8, 0xcf9, 0xcfa, 0xcfb, COM1, 0x4d0, 0x4d1 };
	u32 size = 1u << below(3);
	u32 port = below(2) ? famous[below(ARRAY_SIZE(famous))] - (u32)below(2) * (u32)below(size)
			    : (u32)below(0x10000);

	if (port_left_out(port, size) || (port == PCI && size == 4))
		return;
	if (within(port, size, PCI + 4, PCI + 7))
		outl(0, PCI); /* pci() does that */
	if (below(4))
		port_write(port, size, (u32)odd_value());
	else
		port_read(port, size);
}

static void ports(void)
{
	for (u64 n = below(20); n; n--)
		port();
}

/* Sets a timer that interrupts about every 84 us. (If it is faster, QEMU does nothing else.) */
static void pit(void)
{
	outb(0x34, 0x43);
	outb((u8)(100 + below(16)), 0x40);
	outb(0, 0x40);
}

static void pci(void)
{
	u32 function = (u32)(below(2) ? below(32) : below(0x10000)); /* device and function */
	u32 size = 1u << below(3);

	if (function == 0 || function == 0x0b)
		return;
	outl(PCI_ENABLED | function << 8 | ((u32)below(256) & ~3u), PCI);
	port_write(PCI + 4 + ((u32)below(4) & ~(size - 1)), size, (u32)odd_value());
}

static void io_apic_write(void)
{
	if (!io_apic)
		return;
	io_apic[0] = (u32)(below(8) ? below(0x40) : odd_value());
	io_apic[4] = (u32)odd_value();
	if (!below(8))
		io_apic[below(0x400)] = (u32)odd_value();
}

static void hpet_write(void)
{
	if (hpet)
		hpet[below(8) ? below(0x60) : below(0x100)] =
			(u32)(below(2) ? odd_value() : below(0x800));
}

/* --- together */

static const struct {
	void (*act)(void);
	unsigned int often;
} acts[] = {
	{ act, 40 },	{ memory_write, 4 },  { remap, 2 },
	{ jump, 2 },	{ off, 1 },	      { silence, 1 },
	{ control, 4 }, { tables, 1 },	      { apic_write_any, 6 },
	{ flood, 4 },	{ ports, 10 },	      { pit, 1 },
	{ pci, 6 },	{ io_apic_write, 6 }, { hpet_write, 4 },
};

void wild_begin(void)
{
	if (!io_apic)
		io_apic = ioremap(IO_APIC, PAGE_SIZE);
	if (!hpet)
		hpet = ioremap(HPET, PAGE_SIZE);
	for (int i = 0; i < 16; i++) /* the first numbers of small seeds are small */
		any();
	kinds = any() & any() & any();
}

void wild_act(void)
{
	unsigned int total = 0;
	u64 pick;

	for (unsigned int i = 0; i < ARRAY_SIZE(acts); i++)
		total += kinds >> i & 1 ? acts[i].often : 0;
	if (!total) {
		act();
		return;
	}
	pick = below(total);
	for (unsigned int i = 0; i < ARRAY_SIZE(acts); i++) {
		unsigned int often = kinds >> i & 1 ? acts[i].often : 0;

		if (pick < often) {
			acts[i].act();
			return;
		}
		pick -= often;
	}
}

/* --- its end, on any processor that still gets timer interrupts */

static DEFINE_PER_CPU(struct timer_list, limits);
static bool limited;

static void limit_over(struct timer_list *timer)
{
	panic("hostile: this Linux has lived long enough");
}

void wild_limit(unsigned int ms)
{
	int cpu;

	for_each_online_cpu(cpu) {
		struct timer_list *timer = per_cpu_ptr(&limits, cpu);

		timer_setup(timer, limit_over, TIMER_PINNED);
		timer->expires = jiffies + msecs_to_jiffies(ms);
		add_timer_on(timer, cpu);
	}
	limited = true;
}

void wild_end(void)
{
	int cpu;

	if (limited)
		for_each_online_cpu(cpu)
			timer_delete_sync(per_cpu_ptr(&limits, cpu));
	if (io_apic)
		iounmap(io_apic);
	if (hpet)
		iounmap(hpet);
}
