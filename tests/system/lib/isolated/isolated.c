// SPDX-License-Identifier: GPL-2.0
/*
 * Lists the pages of the kernel half that CPU 0's restricted page table maps and Linux's own user table does not.
 * Loading fails, so that it can be loaded again. The parameters are addresses of /proc/kallsyms.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/percpu.h>

static unsigned long cpu; /* isolate_cpu */
module_param(cpu, ulong, 0);
static unsigned long text, end, data,
	idt; /* allowed: isolate_text, its end, isolate_data, the IDT */
module_param(text, ulong, 0);
module_param(end, ulong, 0);
module_param(data, ulong, 0);
module_param(idt, ulong, 0);

struct isolate_cpu { /* a copy from host/linux/isolate/isolate.c */
	void *data;
	unsigned long *root, cr3;
};

static unsigned int allowed, leaks;

static void page_seen(unsigned long at, unsigned long entry)
{
	const bool code = at >= text && at < end;

	if ((code || at == data || at == idt) && !(entry & (_PAGE_USER | _PAGE_RW)) &&
	    code == !(entry & _PAGE_NX)) {
		allowed++;
		return;
	}
	leaks++;
	pr_info("isolated: leak at %lx, entry %lx\n", at, entry);
}

/* `host` is the table at the same place in Linux's user table, or NULL. Equal entries map the same memory. */
static void walk(const unsigned long *table, const unsigned long *host, unsigned int shift,
		 unsigned long base)
{
	for (unsigned long i = shift == 39 ? 256 : 0; i < 512; i++) {
		const unsigned long at = base | i << shift, other = host ? host[i] : 0;

		if (!(table[i] & _PAGE_PRESENT) || table[i] == other)
			continue;
		if (shift == PAGE_SHIFT || table[i] & _PAGE_PSE) {
			page_seen(at, table[i]);
			continue;
		}
		walk(__va(table[i] & PTE_PFN_MASK),
		     other & _PAGE_PRESENT && !(other & _PAGE_PSE) ? __va(other & PTE_PFN_MASK)
								   : NULL,
		     shift - 9, at);
	}
}

static int __init isolated_init(void)
{
	const struct isolate_cpu *own = per_cpu_ptr((struct isolate_cpu __percpu *)cpu, 0);

	walk(own->root, (const unsigned long *)kernel_to_user_pgdp(current->mm->pgd), 39,
	     0xffffUL << 48);
	pr_info("isolated: %u allowed, %u leaks, component %s, id %#lx\n", allowed, leaks,
		own->root[0] & _PAGE_PRESENT ? "mapped" : "absent", own->cr3 & X86_CR3_PCID_MASK);
	return -EAGAIN;
}
module_init(isolated_init);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Test of Limpet: pages of the kernel that components' tables map");
