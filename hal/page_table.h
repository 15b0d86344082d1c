/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Page tables in x86-64's format, 4 or 5 levels (SDM vol. 3 chapter 5, APM vol. 2 chapter 5). hal/fake has the same
 * format, so that unit tests run the code of hal/page_table.c.
 */
#ifndef HAL_PAGE_TABLE_H
#define HAL_PAGE_TABLE_H

#include <hal.h>

#define ENTRIES 512
#define P_PRESENT 0x001ul
#define P_WRITE 0x002ul
#define P_USER 0x004ul
#define P_DEVICE 0x018ul /* strong uncacheable by Linux's and the processor's first PAT */
#define P_USED 0x060ul	 /* accessed and dirty, preset to save the processor the update */
#define P_NX (1ul << 63)
#define P_ADDRESS 0x000ffffffffff000ul

/* Configuration of all page tables. The implementation of hal.h sets it before it makes the first table. */
struct page_table_config {
	word virtual_offset; /* virtual minus physical address of memory */
	unsigned int levels;
	word root_clear; /* bits that are 0 in the physical address of each root */
};
extern struct page_table_config page_table_config;

/* Implemented by hal/x86 and hal/fake: makes a page the root, with an empty user half and the host's kernel half. */
void page_table_root(struct hal_page_table *pt, word *page);
/* Implemented by hal/x86 and hal/fake: flushes the processor's copy of an entry that was changed. */
void page_table_flush(const struct hal_page_table *pt, word address);
/* Implemented by hal/x86 and hal/fake: flushes the processor's copies of all entries. */
void page_table_flush_all(const struct hal_page_table *pt);
/* Implemented by hal/x86 and hal/fake: called when an entry is looked up. hal/fake checks that this is allowed. */
void page_table_check(const struct hal_page_table *pt, word address);

static inline word to_physical(const void *page)
{
	return (word)page - page_table_config.virtual_offset;
}

static inline void *to_virtual(word entry)
{
	return (void *)((entry & P_ADDRESS) + page_table_config.virtual_offset);
}

/*
 * Returns the lowest-level entry for an address, or NULL. If `make` is set, adds the missing
 * levels.
 */
word *entry_find(struct hal_page_table *pt, word address, bool make);

#endif
