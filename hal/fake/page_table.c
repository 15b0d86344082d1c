// SPDX-License-Identifier: GPL-2.0
/* Page tables as a radix tree in the pages that the kernel gives, so that these can run out. */
#include <fake.h>
#include <hal/spare.h>
#include <limpet/call.h>
#include <limpet/error.h>

#define LEVELS 4
#define ENTRIES 512
#define PRESENT 8ul /* besides LIMPET_READ, _WRITE, _EXEC: 1, 2, 4; and FAKE_DEVICE */
#define BITS 31ul
#define ADDRESS (~(word)(LIMPET_PAGE - 1))

static unsigned int index_of(word address, unsigned int level)
{
	return address >> (12 + 9 * level) & (ENTRIES - 1);
}

void hal_page_table_load(word root)
{
	const struct hal_page_table *pt = (const struct hal_page_table *)root;

	if (!pt || !pt->root)
		fake_broken("hal_page_table_load() of no page table");
	if (pt->strip_next)
		fake_broken("hal_page_table_load() of a page table that is being taken apart");
	fake_processor->root = root;
}

void hal_page_table_init(struct hal_page_table *pt, void *root, unsigned int space)
{
	*pt = (struct hal_page_table){ .root = root, .space = space };
	__builtin_memset(root, 0, LIMPET_PAGE);
}

void hal_page_table_add(struct hal_page_table *pt, void *page)
{
	spare_put(pt, page);
}

static word *entry_find(struct hal_page_table *pt, word address, bool make)
{
	word *table = pt->root;

	if (address % LIMPET_PAGE || address >= LIMPET_USER_END)
		fake_broken("a page table was asked for an address that it cannot have");
	for (unsigned int level = LEVELS - 1; level; level--) {
		word *entry = &table[index_of(address, level)];

		if (!*entry) {
			word *lower = make ? spare_take(pt) : NULL;

			if (!lower)
				return NULL;
			*entry = (word)lower | PRESENT;
		}
		table = (word *)(*entry & ADDRESS);
	}
	return &table[index_of(address, 0)];
}

static long entry_fill(struct hal_page_table *pt, word address, word value)
{
	word *entry = entry_find(pt, address, true);

	if (pt->strip_next)
		fake_broken("a page is mapped while the page table is being taken apart");
	if (!entry)
		return LIMPET_ENOMEM;
	if (*entry)
		return LIMPET_EFULL;
	*entry = value | PRESENT;
	return LIMPET_OK;
}

long hal_page_table_map(struct hal_page_table *pt, word address, void *page, unsigned int rights)
{
	return entry_fill(pt, address, (word)page | rights);
}

long hal_page_table_map_device(struct hal_page_table *pt, word address, word number,
			       unsigned int rights)
{
	if (rights & LIMPET_EXEC)
		fake_broken("a device's page is mapped executable");
	return entry_fill(pt, address, number * LIMPET_PAGE | FAKE_DEVICE | rights);
}

static word memory_of(word entry)
{
	return entry & FAKE_DEVICE ? 0 : entry & ADDRESS;
}

void *hal_page_table_find(struct hal_page_table *pt, word address)
{
	word *entry = entry_find(pt, address, false);

	return entry ? (void *)memory_of(*entry) : NULL;
}

void *hal_page_table_unmap(struct hal_page_table *pt, word address)
{
	word *entry = entry_find(pt, address, false);
	word old = entry ? *entry : 0;

	if (entry)
		*entry = 0;
	return (void *)memory_of(old);
}

bool hal_page_table_protect(struct hal_page_table *pt, word address, unsigned int rights)
{
	word *entry = entry_find(pt, address, false);

	if (!entry || !*entry)
		return false;
	*entry = (*entry & (ADDRESS | PRESENT | FAKE_DEVICE)) | (*entry & rights);
	return true;
}

/* The first lowest-level table, which is cut off the tree; *at is the first address behind it. */
static word *table_cut(word *table, unsigned int level, word base, word *at)
{
	for (unsigned int i = 0; i < ENTRIES; i++) {
		word address = base + ((word)i << (12 + 9 * level));
		word *lower = (word *)(table[i] & ADDRESS);

		if (!table[i])
			continue;
		if (level == 1) {
			table[i] = 0;
			*at = address + (1ul << 21);
			return lower;
		}
		lower = table_cut(lower, level - 1, address, at);
		if (lower)
			return lower;
	}
	return NULL;
}

void **hal_page_table_strip(struct hal_page_table *pt)
{
	word *table = pt->strip_next == LIMPET_USER_END
			      ? NULL
			      : table_cut(pt->root, LEVELS - 1, 0, &pt->strip_next);

	if (!table) {
		pt->strip_next = LIMPET_USER_END; /* the pages of its levels may go now */
		return NULL;
	}
	for (unsigned int i = 0; i < HAL_STRIP; i++)
		table[i] = memory_of(table[i]);
	return (void **)table;
}

static void walk(const word *table, unsigned int level, word base,
		 void (*each)(void *context, word address, void *page), void *context)
{
	for (unsigned int i = 0; i < ENTRIES; i++) {
		word address = base + ((word)i << (12 + 9 * level));
		void *lower = (void *)(table[i] & ADDRESS);

		if (table[i] && level)
			walk(lower, level - 1, address, each, context);
		else if (memory_of(table[i]))
			each(context, address, lower);
	}
}

void fake_mappings(const struct hal_page_table *pt,
		   void (*each)(void *context, word address, void *page), void *context)
{
	if (pt->strip_next != LIMPET_USER_END)
		walk(pt->root, LEVELS - 1, 0, each, context);
}

void *fake_lookup(const struct hal_page_table *pt, word address, unsigned int *rights)
{
	word *entry = entry_find((struct hal_page_table *)pt, address & ADDRESS, false);

	if (!entry || !*entry)
		return NULL;
	if (rights)
		*rights = *entry & (BITS & ~PRESENT);
	return (void *)(*entry & ADDRESS);
}

unsigned int fake_spares(const struct hal_page_table *pt)
{
	unsigned int count = 0;

	for (const word *page = pt->spare; page; page = *(word *const *)page)
		count++;
	return count;
}
