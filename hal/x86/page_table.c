// SPDX-License-Identifier: GPL-2.0
/* The processor's part of hal/page_table.c: page-table roots and flushes. */
#include <page_table.h>

#include "regs.h"

#define CR3_KEEP (1ul << 63)
#define SPACE_FIRST 16 /* Linux uses process-context ids 1 to 6, and those plus 2048 */

static struct hal_setup config;

void hal_setup(const struct hal_setup *setup)
{
	config = *setup;
	page_table_config.virtual_offset = setup->virtual_offset;
	page_table_config.levels = setup->levels;
	page_table_config.root_clear = setup->root_clear;
	hal_regs_setup(setup->xsave_mask, setup->clear_mask);
}

static inline void invpcid(word type, word pcid, word address)
{
	const struct {
		word pcid, address;
	} descriptor = { pcid, address };

	asm volatile("invpcid %0, %1" : : "m"(descriptor), "r"(type) : "memory");
}

void page_table_flush(const struct hal_page_table *pt, word address)
{
	if (config.pcid)
		invpcid(0, pt->space + SPACE_FIRST, address);
	else
		asm volatile("invlpg (%0)" : : "r"(address) : "memory");
}

/* Without process-context ids only the page table that is loaded has copies. */
void page_table_flush_all(const struct hal_page_table *pt)
{
	word cr3;

	if (config.pcid)
		invpcid(1, pt->space + SPACE_FIRST, 0);
	else
		asm volatile("mov %%cr3, %0\n\tmov %0, %%cr3" : "=r"(cr3) : : "memory");
}

void page_table_check(const struct hal_page_table *pt, word address)
{
	(void)pt, (void)address;
}

void page_table_root(struct hal_page_table *pt, word *page)
{
	pt->root = page;
	pt->cr3 = to_physical(page);
	for (unsigned int i = 0; i < ENTRIES; i++)
		page[i] = i < ENTRIES / 2 ? 0 : config.kernel_root[i];
	if (config.pcid) {
		pt->cr3 |= (pt->space + SPACE_FIRST) | CR3_KEEP;
		invpcid(1, pt->space + SPACE_FIRST, 0); /* entries of the id's last owner */
	}
}
