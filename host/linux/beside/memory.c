// SPDX-License-Identifier: GPL-2.0
/*
 * Handles memory that is added to the machine in beside mode. Page tables of components have a copy of the kernel half of
 * Linux's top level. Linux's interrupt handlers run with these page tables, too, so Linux must not use memory below a
 * top-level entry that was added after the copy was made.
 *
 * Linux maps added memory, in the direct map and in its array of page descriptors, before it calls the notifiers.
 * Memory of devices that never goes online (ZONE_DEVICE) has no such call.
 */
#include <linux/memory.h>
#include <linux/notifier.h>

#include <host/linux/parts.h>

static int memory_changes(struct notifier_block *block, unsigned long action, void *data)
{
	const struct memory_notify *range = data;

	if (action != MEM_GOING_ONLINE || system_maps_linux())
		return NOTIFY_OK;
	pr_warn("limpet: memory at %#llx stays offline: page tables of the running systems do not map it; stop all systems, then set it online\n",
		PFN_PHYS((u64)range->start_pfn));
	return notifier_from_errno(-EBUSY);
}

static struct notifier_block memory_block = { .notifier_call = memory_changes };

void memory_watch(void)
{
	register_memory_notifier(&memory_block);
}

void memory_ignore(void)
{
	unregister_memory_notifier(&memory_block);
}
