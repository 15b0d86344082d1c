// SPDX-License-Identifier: GPL-2.0
/*
 * Handles memory that is added to the machine in beside mode. Page tables of components have a copy of the kernel half
 * of Linux's top level. Linux's interrupt handlers run with these page tables, too, so Linux must not use memory below
 * a top-level entry that was added after the copy was made. Linux removes no such entry.
 *
 * Linux maps added memory, in the direct map and in its array of page descriptors, before it calls the notifiers.
 * Memory of devices that never goes online (ZONE_DEVICE) has no such call.
 */
#include <linux/memory.h>
#include <linux/notifier.h>

#include <host/linux/parts.h>

word memory_root[PAGE_SIZE / sizeof(word)];

static int memory_changes(struct notifier_block *block, unsigned long action, void *data)
{
	const struct memory_notify *range = data;
	const word *now = __va(read_cr3_pa());
	unsigned int i = PTRS_PER_PGD / 2;

	while (i < PTRS_PER_PGD && !memory_root[i] == !now[i])
		i++;
	if (action != MEM_GOING_ONLINE || i == PTRS_PER_PGD)
		return NOTIFY_OK;
	pr_warn("limpet: Memory at %#llx stays offline: page tables of components cannot map it. Detach Limpet, then set it online.\n",
		PFN_PHYS((u64)range->start_pfn));
	return notifier_from_errno(-EBUSY);
}

struct notifier_block memory_block = { .notifier_call = memory_changes };

/* Registers the notifier before it copies, so that no entry is added unseen in between. */
void memory_prepare(void)
{
	register_memory_notifier(&memory_block);
	memcpy(memory_root, __va(read_cr3_pa()), sizeof(memory_root));
}
