// SPDX-License-Identifier: GPL-2.0
/*
 * Sends an NMI to a CPU, which may be offline, and accesses physical memory from that CPU:
 *
 *   insmod wake.ko at=ADDRESS pages=N cpu=CPU
 *   /sys/module/wake/parameters/woken     1: the CPU has handled the NMI
 *   /sys/module/wake/parameters/seen      number of pages in which that CPU read a non-zero word
 *   /sys/module/wake/parameters/written   number of pages that it could write; their contents are restored
 *   /sys/module/wake/parameters/here      both numbers for the CPU that loads the module, counted before the NMI
 *
 * Linux's own NMI handler returns immediately on an offline CPU. Therefore the module replaces gates of the interrupt
 * table during the NMI. It maps the table a second time for that, because Linux's mapping is read-only.
 */
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/vmalloc.h>
#include <asm/apic.h>
#include <asm/desc.h>
#include <asm/smp.h>

#define VECTOR_NMI 2
#define VECTOR_FAULT 13
#define WORDS (PAGE_SIZE / sizeof(u64))
#define WAIT_MS 15000

void wake_nmi(void);
void wake_fault(void);
bool wake_write(u64 *to, u64 value);
void wake_look(void);

static ulong at, pages;
module_param(at, ulong, 0444);
module_param(pages, ulong, 0444);
static uint cpu;
module_param(cpu, uint, 0444);
static ulong woken, seen, written, here[2];
module_param(woken, ulong, 0444);
module_param(seen, ulong, 0444);
module_param(written, ulong, 0444);
module_param_array(here, ulong, NULL, 0444);

static bool zeros(const u64 *page)
{
	for (unsigned int i = 0; i < WORDS; i++)
		if (READ_ONCE(page[i]))
			return false;
	return true;
}

/* Counts the accessible pages. Called by the woken CPU in its NMI handler, and by the loading CPU. */
void wake_look(void)
{
	for (ulong n = 0; n < pages; n++) {
		u64 *page = phys_to_virt(at + n * PAGE_SIZE), *word = page + n % WORDS;
		u64 before = READ_ONCE(*word);

		seen += !zeros(page);
		if (wake_write(word, ~before)) {
			written += READ_ONCE(*word) == ~before;
			wake_write(word, before);
		}
	}
	WRITE_ONCE(woken, 1);
}

static void gate_set(gate_desc *gate, void (*to)(void))
{
	ulong address = (ulong)to;

	gate->offset_low = (u16)address;
	gate->offset_middle = (u16)(address >> 16);
	gate->offset_high = (u32)(address >> 32);
}

static void look_here(void)
{
	unsigned long flags;

	local_irq_save(flags);
	wake_look();
	local_irq_restore(flags);
	here[0] = seen;
	here[1] = written;
	seen = written = woken = 0;
}

static void nmi_send(void)
{
	u32 to = per_cpu(x86_cpu_to_apicid, cpu);

	preempt_disable();
	apic->icr_write(APIC_DM_NMI, to);
	preempt_enable();
	for (unsigned int i = 0; i < WAIT_MS && !READ_ONCE(woken); i++)
		mdelay(1);
}

static int __init wake_init(void)
{
	gate_desc nmi, fault, *table;
	struct desc_ptr idt;
	struct page *page;

	store_idt(&idt);
	page = pfn_to_page(slow_virt_to_phys((void *)idt.address) >> PAGE_SHIFT);
	table = vmap(&page, 1, VM_MAP, PAGE_KERNEL);
	if (!table)
		return -ENOMEM;
	nmi = table[VECTOR_NMI];
	fault = table[VECTOR_FAULT];
	gate_set(&table[VECTOR_FAULT], wake_fault);
	gate_set(&table[VECTOR_NMI], wake_nmi);
	look_here();
	nmi_send();
	table[VECTOR_NMI] = nmi;
	table[VECTOR_FAULT] = fault;
	vunmap(table);
	return 0;
}

static void __exit wake_exit(void)
{
}

module_init(wake_init);
module_exit(wake_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Wakes a CPU by NMI to look at memory, for Limpet's tests");
