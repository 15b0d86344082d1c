// SPDX-License-Identifier: GPL-2.0
#include <limpet/call.h>
#include <limpet/error.h>

#include "page_table.h"

struct page_table_config page_table_config;

/* --- spare pages for lower levels: a list linked by their first words */

void hal_page_table_add(struct hal_page_table *pt, void *page)
{
	if (!pt->root && !(to_physical(page) & page_table_config.root_clear)) {
		page_table_root(pt, page);
		return;
	}
	*(word **)page = pt->spare;
	pt->spare = page;
}

/* Takes a page off the list and clears it. Returns NULL if the list is empty. */
static word *spare_take(struct hal_page_table *pt)
{
	word *page = pt->spare;

	if (!page)
		return NULL;
	pt->spare = *(word **)page;
	__builtin_memset(page, 0, LIMPET_PAGE);
	return page;
}

/* --- entries */

word *entry_find(struct hal_page_table *pt, word address, bool make)
{
	word *table = pt->root;

	page_table_check(pt, address);
	if (!table)
		return NULL;
	for (unsigned int level = page_table_config.levels; level > 1; level--) {
		word *entry = &table[address >> (12 + 9 * (level - 1)) & (ENTRIES - 1)];

		if (!(*entry & P_PRESENT)) {
			word *lower = make ? spare_take(pt) : NULL;

			if (!lower)
				return NULL;
			*entry = to_physical(lower) | P_PRESENT | P_WRITE | P_USER | P_USED;
		}
		table = to_virtual(*entry);
	}
	return &table[address >> 12 & (ENTRIES - 1)];
}

static word entry_bits(unsigned int rights)
{
	word bits = P_PRESENT | P_USER | P_USED;

	if (rights & LIMPET_WRITE)
		bits |= P_WRITE;
	if (!(rights & LIMPET_EXEC))
		bits |= P_NX;
	return bits;
}

static long entry_fill(struct hal_page_table *pt, word address, word value)
{
	word *entry = entry_find(pt, address, true);

	if (!entry)
		return LIMPET_ENOMEM;
	if (*entry & P_PRESENT)
		return LIMPET_EFULL;
	*entry = value;
	return LIMPET_OK;
}

long hal_page_table_map(struct hal_page_table *pt, word address, void *page, unsigned int rights)
{
	return entry_fill(pt, address, to_physical(page) | entry_bits(rights));
}

long hal_page_table_map_device(struct hal_page_table *pt, word address, word number,
			       unsigned int rights)
{
	return entry_fill(pt, address,
			  (number * LIMPET_PAGE & P_ADDRESS) | P_DEVICE | entry_bits(rights));
}

/* Returns the page of memory that an entry maps, or NULL if it is empty or maps a device's page. */
static void *memory_of(word entry)
{
	return (entry & (P_PRESENT | P_DEVICE)) == P_PRESENT ? to_virtual(entry) : NULL;
}

void *hal_page_table_find(struct hal_page_table *pt, word address)
{
	word *entry = entry_find(pt, address, false);

	return entry ? memory_of(*entry) : NULL;
}

bool hal_page_table_writable(struct hal_page_table *pt, word address)
{
	word *entry = entry_find(pt, address, false);

	return entry && memory_of(*entry) && *entry & P_WRITE;
}

void *hal_page_table_unmap(struct hal_page_table *pt, word address)
{
	word *entry = entry_find(pt, address, false);
	word old = entry ? *entry : 0;

	if (!(old & P_PRESENT))
		return NULL;
	*entry = 0;
	page_table_flush(pt, address);
	return memory_of(old);
}

bool hal_page_table_protect(struct hal_page_table *pt, word address, unsigned int rights)
{
	word *entry = entry_find(pt, address, false);
	word bits = entry_bits(rights);

	if (!entry || !(*entry & P_PRESENT))
		return false;
	*entry = (*entry & (bits | P_ADDRESS | P_DEVICE)) | ((*entry | bits) & P_NX);
	page_table_flush(pt, address);
	return true;
}

bool hal_page_table_hold(struct hal_page_table *pt, bool held)
{
	for (unsigned int i = 0; pt->root && i < ENTRIES / 2; i++)
		if (pt->root[i] & P_PRESENT)
			pt->root[i] = held ? pt->root[i] | P_NX : pt->root[i] & ~P_NX;
	if (pt->root)
		page_table_flush_all(pt);
	return pt->root;
}

/* Returns the first entry of a table that is present, among `end` entries, or NULL. */
static word *entry_first(word *table, unsigned int end)
{
	for (word *entry = table; entry < table + end; entry++)
		if (*entry & P_PRESENT)
			return entry;
	return NULL;
}

/* Takes the first table that has no tables below it from the table above it. The root is the last. */
void **hal_page_table_strip(struct hal_page_table *pt, bool *mapped)
{
	unsigned int level = page_table_config.levels, end = ENTRIES / 2;
	word *page = pt->root, *above = (word *)&pt->root, *entry;

	*mapped = false;
	pt->stripped = true;
	if (pt->spare || !page)
		return (void **)spare_take(pt);
	for (; level > 1 && (entry = entry_first(page, end)); level--, end = ENTRIES) {
		above = entry;
		page = to_virtual(*entry);
	}
	*above = 0;
	*mapped = level == 1;
	for (unsigned int i = 0; *mapped && i < HAL_STRIP; i++)
		page[i] = (word)memory_of(page[i]);
	return (void **)page;
}
