// SPDX-License-Identifier: GPL-2.0
/*
 * Counts NMIs by the code of host/linux/isolate/entry.S that they interrupted. Parameters are addresses of
 * /proc/kallsyms. The counts are in /sys/module/windows/parameters. An NMI that arrives with the restricted page table
 * is handled with the table one page before it.
 */
#include <linux/module.h>
#include <linux/percpu.h>
#include <asm/nmi.h>
#include <asm/special_insns.h>

static unsigned long cpu; /* isolate_cpu */
module_param(cpu, ulong, 0);
static unsigned long
	site[5]; /* isolate_stubs, isolate_syscall, isolate_sysret, isolate_iret, isolate_text_end */
module_param_array(site, ulong, NULL, 0);
static ulong nmis;
module_param(nmis, ulong, 0444);
static ulong restricted[4],
	unrestricted[4]; /* by site: with the restricted table, and with a component's table */
module_param_array(restricted, ulong, NULL, 0444);
module_param_array(unrestricted, ulong, NULL, 0444);
static ulong wrong; /* with interrupts on, or in another table */
module_param(wrong, ulong, 0444);

struct isolate_cpu { /* a copy from host/linux/isolate/isolate.c */
	void *data;
	unsigned long *root, cr3;
};

static int nmi_seen(unsigned int type, struct pt_regs *regs)
{
	const struct isolate_cpu *own = this_cpu_ptr((struct isolate_cpu __percpu *)cpu);
	const unsigned long cr3 = __read_cr3() & ~0xfffUL, root = __pa(own->root);

	nmis++;
	for (unsigned int i = 0; i < 4; i++) {
		if (regs->ip < site[i] || regs->ip >= site[i + 1])
			continue;
		if (cr3 == root - PAGE_SIZE)
			restricted[i]++;
		else
			unrestricted[i]++;
		wrong += cr3 == root || regs->flags & X86_EFLAGS_IF;
	}
	return NMI_HANDLED;
}

static int __init windows_init(void)
{
	return register_nmi_handler(NMI_LOCAL, nmi_seen, 0, "windows");
}

static void __exit windows_exit(void)
{
	unregister_nmi_handler(NMI_LOCAL, "windows");
}
module_init(windows_init);
module_exit(windows_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Test of Limpet: where NMIs interrupt the entries of isolated components");
