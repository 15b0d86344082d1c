// SPDX-License-Identifier: GPL-2.0
#include <limpet/call.h>
#include <limpet/error.h>

#include "page_table.h"

struct page_table_config page_table_config;

/* --- spare pages for lower levels: a list linked by their first words */

void hal_page_table_add(struct hal_page_table *pt, void *page)
{
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

/* Returns the page of memory that an entry maps, or NULL if it maps none, or a device's page. */
static void *memory_of(word entry)
{
	return (entry & (P_PRESENT | P_DEVICE)) == P_PRESENT ? to_virtual(entry) : NULL;
}

void *hal_page_table_find(struct hal_page_table *pt, word address)
{
	word *entry = entry_find(pt, address, false);

	return entry ? memory_of(*entry) : NULL;
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

/*
 * Returns the first lowest-level table at or after address *at, and sets *at to its first address. Returns NULL if
 * there is none up to the end of user addresses. Each step skips a whole empty subtree, so the cost is at most 512
 * entries a level.
 */
static word *table_next(struct hal_page_table *pt, word *at)
{
	while (*at < LIMPET_USER_END) {
		word *table = pt->root;
		unsigned int level = page_table_config.levels;
		word span;

		for (; level > 1; level--) {
			word entry = table[*at >> (12 + 9 * (level - 1)) & (ENTRIES - 1)];

			if (!(entry & P_PRESENT))
				break;
			table = to_virtual(entry);
		}
		if (level == 1)
			return table;
		span = 1ul << (12 + 9 * (level - 1));
		*at = (*at | (span - 1)) + 1;
	}
	return NULL;
}

/* Returns the lowest-level table itself as the list. */
void **hal_page_table_strip(struct hal_page_table *pt)
{
	word *table = table_next(pt, &pt->strip_next);

	if (!table)
		return NULL;
	for (unsigned int i = 0; i < HAL_STRIP; i++)
		table[i] = (word)memory_of(table[i]);
	pt->strip_next = (pt->strip_next | (HAL_STRIP * LIMPET_PAGE - 1)) + 1;
	return (void **)table;
}
