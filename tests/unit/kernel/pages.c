// SPDX-License-Identifier: GPL-2.0
/* Enumerates the pages of page tables. */
#include <page_table.h>

#include "machine.h"

static void tables_walk(word *table, unsigned int level, void (*each)(void *page))
{
	each(table);
	for (unsigned int i = 0; level && i < ENTRIES; i++)
		if (table[i] & P_PRESENT)
			tables_walk(to_virtual(table[i]), level - 1, each);
}

void pages_each(const struct entry *e, void (*each)(void *page))
{
	const struct hal_page_table *pt = &((const struct page_table *)e->object)->hal;

	if (e->type != LIMPET_PAGE_TABLE)
		return;
	for (word *page = pt->spare; page; page = *(word **)page)
		each(page);
	if (pt->root)
		tables_walk(pt->root, page_table_config.levels - 1, each);
}
