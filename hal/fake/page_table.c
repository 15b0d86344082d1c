// SPDX-License-Identifier: GPL-2.0
/* The fake processor's part of hal/page_table.c. Memory is at its physical address. */
#include <fake.h>
#include <limpet/call.h>
#include <page_table.h>

void hal_page_table_load(word root)
{
	const struct hal_page_table *pt = (const struct hal_page_table *)(root & ~1ul);
	const bool wanted = (root | fake_processor->root) & 1;

	if (!pt || !pt->root)
		fake_broken("hal_page_table_load() of no page table");
	if (pt->stripped)
		fake_broken("hal_page_table_load() of a page table that is being taken apart");
	fake_processor->barriers += wanted && root != fake_processor->root;
	fake_processor->root = root;
}

void page_table_root(struct hal_page_table *pt, word *page)
{
	page_table_config.levels = 4;
	pt->root = page;
	__builtin_memset(page, 0, LIMPET_PAGE);
}

void page_table_flush(const struct hal_page_table *pt, word address)
{
	page_table_check(pt, address);
}

void page_table_flush_all(const struct hal_page_table *pt)
{
	page_table_check(pt, 0);
}

void page_table_check(const struct hal_page_table *pt, word address)
{
	if (address % LIMPET_PAGE || address >= LIMPET_USER_END)
		fake_broken("a page table was asked for an address that it cannot have");
	if (pt->stripped)
		fake_broken("a page table is used while it is being taken apart");
}

static void walk(const word *table, unsigned int level, word base,
		 void (*each)(void *context, word address, void *page), void *context)
{
	for (unsigned int i = 0; i < ENTRIES; i++) {
		word address = base + ((word)i << (12 + 9 * level));

		if (!(table[i] & P_PRESENT))
			continue;
		if (level)
			walk(to_virtual(table[i]), level - 1, address, each, context);
		else if (!(table[i] & P_DEVICE))
			each(context, address, to_virtual(table[i]));
	}
}

void fake_mappings(const struct hal_page_table *pt,
		   void (*each)(void *context, word address, void *page), void *context)
{
	if (pt->root)
		walk(pt->root, page_table_config.levels - 1, 0, each, context);
}

void *fake_lookup(const struct hal_page_table *pt, word address, unsigned int *rights)
{
	word *at = entry_find((struct hal_page_table *)pt, address & P_ADDRESS, false);
	word entry = at ? *at : 0;

	if (!(entry & P_PRESENT))
		return NULL;
	if (rights)
		*rights = LIMPET_READ | (entry & P_WRITE ? LIMPET_WRITE : 0) |
			  (entry & P_NX ? 0 : LIMPET_EXEC) | (entry & P_DEVICE ? FAKE_DEVICE : 0);
	return to_virtual(entry);
}
