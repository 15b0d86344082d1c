// SPDX-License-Identifier: GPL-2.0
/* Page tables, 4 or 5 levels (SDM vol. 3 chapter 5, APM vol. 2 chapter 5). */
#include <hal.h>
#include <hal/spare.h>
#include <limpet/call.h>
#include <limpet/error.h>

#include "regs.h"

#define ENTRIES 512
#define P_PRESENT 0x001ul
#define P_WRITE 0x002ul
#define P_USER 0x004ul
#define P_DEVICE 0x018ul /* strong uncacheable by Linux's and the processor's first PAT */
#define P_USED 0x060ul	 /* accessed and dirty, set at once so that the processor need not */
#define P_NX (1ul << 63)
#define P_ADDRESS 0x000ffffffffff000ul
#define CR3_KEEP (1ul << 63)
#define SPACE_FIRST 16 /* Linux uses process-context ids 1 to 6, and those plus 2048 */

struct hal_setup hal_config;

void hal_setup(const struct hal_setup *setup)
{
	hal_config = *setup;
}

static inline word to_physical(const void *page)
{
	return (word)page - hal_config.virtual_offset;
}

static inline void *to_virtual(word entry)
{
	return (void *)((entry & P_ADDRESS) + hal_config.virtual_offset);
}

static inline void invpcid(word type, word pcid, word address)
{
	const struct {
		word pcid, address;
	} descriptor = { pcid, address };

	asm volatile("invpcid %0, %1" : : "m"(descriptor), "r"(type) : "memory");
}

static void flush_page(const struct hal_page_table *pt, word address)
{
	if (hal_config.pcid)
		invpcid(0, pt->space + SPACE_FIRST, address);
	else
		asm volatile("invlpg (%0)" : : "r"(address) : "memory");
}

void hal_page_table_init(struct hal_page_table *pt, void *root, unsigned int space)
{
	word *entry = root;

	*pt = (struct hal_page_table){ .root = root, .cr3 = to_physical(root), .space = space };
	for (unsigned int i = 0; i < ENTRIES; i++)
		entry[i] = i < ENTRIES / 2 ? 0 : hal_config.kernel_root[i];
	if (hal_config.pcid) {
		pt->cr3 |= (space + SPACE_FIRST) | CR3_KEEP;
		invpcid(1, space + SPACE_FIRST, 0); /* what an earlier owner of the id left */
	}
}

void hal_page_table_add(struct hal_page_table *pt, void *page)
{
	spare_put(pt, page);
}

/* The lowest-level entry for address; makes the levels on the way when `make`. */
static word *entry_find(struct hal_page_table *pt, word address, bool make)
{
	word *table = pt->root;

	for (unsigned int level = hal_config.levels; level > 1; level--) {
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

/* The page of memory that an entry maps; NULL: none, or a device's. */
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
	flush_page(pt, address);
	return memory_of(old);
}

bool hal_page_table_protect(struct hal_page_table *pt, word address, unsigned int rights)
{
	word *entry = entry_find(pt, address, false);
	word bits = entry_bits(rights);

	if (!entry || !(*entry & P_PRESENT))
		return false;
	*entry = (*entry & (bits | P_ADDRESS | P_DEVICE)) | ((*entry | bits) & P_NX);
	flush_page(pt, address);
	return true;
}

/*
 * Finds the next lowest-level table at or after address *at, which it moves on to it.
 * NULL: there is none up to the end of user addresses. Each step skips a whole empty subtree, so
 * the cost is bounded by 512 entries a level.
 */
static word *table_next(struct hal_page_table *pt, word *at)
{
	while (*at < LIMPET_USER_END) {
		word *table = pt->root;
		unsigned int level = hal_config.levels;
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

/* The lowest-level table itself becomes the list. */
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
