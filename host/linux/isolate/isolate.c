// SPDX-License-Identifier: GPL-2.0
/* Makes the restricted page tables. */
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/vmalloc.h>

#include <host/linux/compat.h>
#include <host/linux/parts.h>

#define ENTRIES 512

/*
 * The process-context id of restricted tables. Linux uses neither it nor id 0, which Linux makes of it when it clears
 * the mark of a user table. Components have id 0, too, because with isolation they have no ids of their own. Each exit
 * flushes the translations of ID, and each entry from the host those of id 0. So Linux's flushes do not need these ids.
 */
#define ID 0x800u
#define RIGHTS_TABLE (_PAGE_PRESENT | _PAGE_RW | _PAGE_ACCESSED | _PAGE_DIRTY)
#define RIGHTS_TEXT (_PAGE_PRESENT | _PAGE_ACCESSED)
#define RIGHTS_DATA (_PAGE_PRESENT | _PAGE_ACCESSED | _PAGE_NX)

/*
 * Data that entries read. A restricted table maps a page of its CPU at this address. All other tables map this
 * variable, whose vectors are read by traps in the kernel.
 */
struct isolate_data {
	word cr3; /* CR3 for the next entry */
	word vector[256];
} __aligned(PAGE_SIZE);
extern struct isolate_data isolate_data; /* used by entry.S, like isolate_cpu and isolate_offset */
struct isolate_data isolate_data;

/* entry.S depends on the layout. */
struct isolate_cpu {
	struct isolate_data *data;
	word *root;
	word cr3;
};
DECLARE_PER_CPU(struct isolate_cpu, isolate_cpu);
DEFINE_PER_CPU(struct isolate_cpu, isolate_cpu);
bool isolate_on;
extern word isolate_offset;
word isolate_offset; /* virtual minus physical address of page tables */

extern const u8 isolate_text[];
#define TEXT_PAGES 2 /* pages of entry.S */
static LIST_HEAD(pages);

static void *__init page_make(unsigned int order)
{
	struct page *page = alloc_pages(GFP_KERNEL | __GFP_ZERO, order);

	if (!page)
		return NULL;
	set_page_private(page, order);
	list_add(&page->lru, &pages);
	return page_address(page);
}

/* An entry that refers to a table of this file. Processors ignore the bit in it. */
#define OWN _PAGE_SOFTW1

/* Returns the table below an entry. If the entry is empty or refers to a table of Linux, it gets a table of its own. */
static word *__init table_make(word *entry)
{
	word *table;

	if (*entry & OWN)
		return __va(*entry & PTE_PFN_MASK);
	table = page_make(0);
	if (!table)
		return NULL;
	if (*entry & _PAGE_PRESENT)
		memcpy(table, __va(*entry & PTE_PFN_MASK), PAGE_SIZE);
	*entry = __pa(table) | RIGHTS_TABLE | OWN;
	return table;
}

/* Maps a page of the module, or `page` in its place, at `address`. Returns false without memory. */
static bool __init page_map(word *root, const void *address, const void *page, word rights)
{
	const word at = (word)address,
		   pfn = page ? __pa(page) >> PAGE_SHIFT : vmalloc_to_pfn(address);
	word *table = root;

	for (unsigned int shift = 39; shift > PAGE_SHIFT; shift -= 9) {
		word *entry = &table[at >> shift & (ENTRIES - 1)];

		table = table_make(entry);
		if (!table)
			return false;
	}
	table[at >> PAGE_SHIFT & (ENTRIES - 1)] = pfn << PAGE_SHIFT | rights;
	return true;
}

/* Maps the parts of the kernel that Linux's own user tables map, then Limpet's pages. */
static bool __init root_fill(word *root, const void *data)
{
	const word *user = (const word *)pgd_user(current->mm->pgd);
	const u8 *text = isolate_text;
	bool done = true;

	/* Otherwise its end is an address that IBT's checker takes for a target. */
	OPTIMIZER_HIDE_VAR(text);
	memcpy(root + ENTRIES / 2, user + ENTRIES / 2, PAGE_SIZE / 2);
	root[pgd_index(LDT_BASE_ADDR)] = 0; /* LDT of this process */
	for (unsigned int i = 0; done && i < TEXT_PAGES; i++)
		done = page_map(root, text + i * PAGE_SIZE, NULL, RIGHTS_TEXT);
	return done && page_map(root, (const void *)entry_idt_ours.base, NULL, RIGHTS_DATA) &&
	       page_map(root, &isolate_data, data, RIGHTS_DATA);
}

/* Makes the tables of a CPU: a root that maps the kernel, for Linux's NMI entry, and the restricted one after it. */
static bool __init cpu_prepare(struct isolate_cpu *cpu)
{
	word *kernel = page_make(1);

	cpu->data = page_make(0);
	if (!kernel || !cpu->data)
		return false;
	memcpy(cpu->data, &isolate_data, sizeof(isolate_data));
	memcpy(kernel + ENTRIES / 2, (const word *)current->mm->pgd + ENTRIES / 2, PAGE_SIZE / 2);
	cpu->root = kernel + ENTRIES;
	cpu->cr3 = __pa(cpu->root) | (native_read_cr4() & X86_CR4_PCIDE ? ID : 0);
	return root_fill(cpu->root, cpu->data);
}

extern u8 exit_sysret[], exit_iret[];

/* Replaces Limpet's entries, and the exits of entry/syscall.S, by those of entry.S. Returns 0 or -ENOMEM. */
static int __init entries_choose(void)
{
	gate_desc *idt = (gate_desc *)entry_idt_ours.base; /* read-only only after attach */
	unsigned long stubs = (unsigned long)isolate_stubs;
	int error;

	OPTIMIZER_HIDE_VAR(stubs); /* see beside/hook.c */
	for (unsigned int i = 0; i < 256; i++)
		gate_point(&idt[i], stubs + i * ENTRY_STUB);
	entry_calls_ours.lstar = (word)isolate_syscall;
	entry_calls_ours.cstar = (word)isolate_cstar;
	error = text_jump(exit_sysret, (word)isolate_sysret)
			?: text_jump(exit_iret, (word)isolate_iret);
	on_each_cpu(text_refetch, NULL, 1);
	return error;
}

int __init isolate_prepare(bool trusted)
{
	unsigned int cpu;

	if (trusted || !boot_cpu_has(X86_FEATURE_PTI))
		return 0;
	if (pgtable_l5_enabled()) {
		pr_err(REFUSED
		       "Page tables are isolated and have five levels. Attach with --trust-components, or boot with no5lvl.\n");
		return -ENODEV;
	}
	isolate_on = true;
	isolate_offset = PAGE_OFFSET;
	memcpy(isolate_data.vector, entry_host_vector, sizeof(isolate_data.vector));
	for_each_possible_cpu(cpu)
		if (!cpu_prepare(per_cpu_ptr(&isolate_cpu, cpu)))
			return -ENOMEM;
	return entries_choose();
}

void isolate_end(void)
{
	struct page *page, *next;

	list_for_each_entry_safe(page, next, &pages, lru)
		__free_pages(page, page_private(page));
	INIT_LIST_HEAD(&pages);
}
