// SPDX-License-Identifier: GPL-2.0
/* Page tables of the layer and of its guest. The module builds them before the launch. */
#include <host/bare/bare.h>

#define ENTRIES 512
#define PAGE 4096ul
#define MIB (1ul << 20)
#define LARGE (1ul << 21)
#define HUGE (1ul << 30)
#define P_PRESENT 1ul
#define P_WRITE 2ul
#define P_USED 0x60ul
#define P_LARGE 0x80ul
#define P_ADDRESS 0x000ffffffffff000ul

static unsigned int shift_of(unsigned int level)
{
	return 12 + 9 * (level - 1);
}

void *bare_page(struct bare_pages *pages)
{
	void *page = pages->next;

	if (pages->next == pages->end)
		return NULL;
	pages->next += PAGE;
	__builtin_memset(page, 0, PAGE);
	return page;
}

static word physical_of(const struct bare_pages *pages, const void *page)
{
	return (word)page - pages->virtual_offset;
}

/*
 * Returns the entry for `address` at `level`. Adds missing higher levels. Returns NULL if no page
 * is left.
 */
static u64 *entry_at(struct bare_pages *pages, u64 *table, unsigned int levels, unsigned int level,
		     word address, word bits)
{
	for (unsigned int l = levels; l > level; l--) {
		u64 *entry = &table[address >> shift_of(l) & (ENTRIES - 1)];

		if (!(*entry & P_PRESENT)) {
			void *lower = bare_page(pages);

			if (!lower)
				return NULL;
			*entry = physical_of(pages, lower) | bits;
		}
		table = (u64 *)((*entry & P_ADDRESS) + pages->virtual_offset);
	}
	return &table[address >> shift_of(level) & (ENTRIES - 1)];
}

bool bare_map(struct bare_pages *pages, u64 *root, unsigned int levels, word address, word physical,
	      word bits)
{
	u64 *entry = entry_at(pages, root, levels, 1, address, P_PRESENT | P_WRITE | P_USED);

	if (!entry)
		return false;
	*entry = physical | bits | P_PRESENT | P_USED;
	return true;
}

/*
 * Makes the tables that map hidden memory to one page of zeros for the guest. Returns false if no
 * page is left.
 */
static bool hidden_make(struct bare_pages *pages, struct bare_memory *memory)
{
	void *zeros = bare_page(pages);

	if (!zeros)
		return false;
	memory->zeros = physical_of(pages, zeros) | VM_NESTED_READ;
	for (word at = memory->hidden; at < memory->hidden_end; at += LARGE) {
		u64 *table = bare_page(pages);

		if (!table)
			return false;
		if (at == memory->hidden)
			memory->entries = table; /* the others follow */
		for (unsigned int i = 0; i < ENTRIES; i++)
			table[i] = memory->zeros;
	}
	return true;
}

void bare_hidden_show(const struct bare_memory *memory, word physical)
{
	memory->entries[(physical - memory->hidden) / PAGE] = physical | VM_NESTED_WRITE;
}

void bare_hidden_hide(const struct bare_memory *memory, word physical, word end)
{
	for (word at = physical; at < end; at += PAGE)
		memory->entries[(at - memory->hidden) / PAGE] =
			at < memory->open_end ? at | VM_NESTED_EXECUTE : memory->zeros;
}

/*
 * Maps all memory in large pages at `offset`. `page` and `table` are the bits of an entry for a page and for a lower
 * table. The hidden region gets the tables at `hidden`; 0: it is not mapped. Returns false without memory for a table.
 */
static bool map_memory(struct bare_pages *pages, u64 *root, const struct bare_memory *memory,
		       word offset, word page, word table, word hidden)
{
	word step;

	for (word at = 0; at < 1ul << memory->bits; at += step) {
		bool whole = memory->large && at % HUGE == 0 &&
			     (at + HUGE <= memory->hidden || at >= memory->hidden_end);
		bool inside = at >= memory->hidden && at < memory->hidden_end;
		u64 *entry;

		step = whole ? HUGE : LARGE;
		if (inside && !hidden)
			continue;
		entry = entry_at(pages, root, memory->levels, whole ? 3 : 2, at + offset, table);
		if (!entry)
			return false;
		*entry = inside ? (hidden + (at - memory->hidden) / LARGE * PAGE) | table
				: at | page | P_LARGE;
	}
	return true;
}

/* Replaces a large page by a table of smaller pages. */
static bool split(struct bare_pages *pages, u64 *entry, unsigned int level)
{
	word first = *entry & P_ADDRESS, bits = *entry & ~P_ADDRESS;
	u64 *table = bare_page(pages);

	if (!table)
		return false;
	if (level == 2)
		bits &= ~P_LARGE;
	for (word i = 0; i < ENTRIES; i++)
		table[i] = (first + (i << shift_of(level - 1))) | bits;
	*entry = physical_of(pages, table) | VM_NESTED_TABLE;
	return true;
}

static u64 *nested_entry(struct bare_pages *pages, const struct bare_memory *memory, word physical)
{
	u64 *table = memory->nested;

	for (unsigned int level = memory->levels; level > 1; level--) {
		u64 *entry = &table[physical >> shift_of(level) & (ENTRIES - 1)];

		if (*entry & P_LARGE && !split(pages, entry, level))
			return NULL;
		table = (u64 *)((*entry & P_ADDRESS) + pages->virtual_offset);
	}
	return &table[physical >> 12 & (ENTRIES - 1)];
}

bool bare_nested_set(struct bare_pages *pages, const struct bare_memory *memory, word physical,
		     enum bare_nested how)
{
	u64 *entry = nested_entry(pages, memory, physical);

	if (!entry)
		return false;
	*entry = how == BARE_NESTED_NONE   ? 0
		 : how == BARE_NESTED_ONES ? memory->ones
		 : how == BARE_NESTED_READ ? physical | VM_NESTED_READ
					   : physical | VM_NESTED_ALL;
	return true;
}

static bool ones_make(struct bare_pages *pages, struct bare_memory *memory)
{
	void *ones = bare_page(pages);

	if (!ones)
		return false;
	__builtin_memset(ones, 0xff, PAGE);
	memory->ones = physical_of(pages, ones) | VM_NESTED_READ;
	return true;
}

/* Unmaps the MiB around the APIC's page. */
static bool hole_make(struct bare_pages *pages, const struct bare_memory *memory)
{
	word first = memory->hole & -MIB;

	for (word at = first; at < first + MIB; at += PAGE)
		if (!bare_nested_set(pages, memory, at, BARE_NESTED_NONE))
			return false;
	return true;
}

word bare_nested_build(struct bare_pages *pages, struct bare_memory *memory)
{
	memory->nested = hidden_make(pages, memory) && ones_make(pages, memory) ? bare_page(pages)
										: NULL;
	if (!memory->nested ||
	    !map_memory(pages, memory->nested, memory, 0, VM_NESTED_ALL, VM_NESTED_TABLE,
			physical_of(pages, memory->entries)) ||
	    !hole_make(pages, memory))
		return 0;
	return physical_of(pages, memory->nested);
}

bool bare_map_memory(struct bare_pages *pages, u64 *root, const struct bare_memory *memory)
{
	const word table = P_PRESENT | P_WRITE | P_USED;

	return map_memory(pages, root, memory, pages->virtual_offset, table | BARE_MAP_NX, table,
			  0);
}
