/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The list of unused pages that the kernel supplied for the lower levels of a page table. The pages are linked through
 * their first words. Used by implementations of hal.h whose struct hal_page_table has `spare`.
 */
#ifndef HAL_SPARE_H
#define HAL_SPARE_H

#include <hal.h>
#include <limpet/call.h>

/* Pushes a page onto the list. */
static inline void spare_put(struct hal_page_table *pt, void *page)
{
	*(word **)page = pt->spare;
	pt->spare = page;
}

/* Pops a page from the list and clears it. Returns NULL if the list is empty. */
static inline word *spare_take(struct hal_page_table *pt)
{
	word *page = pt->spare;

	if (!page)
		return NULL;
	pt->spare = *(word **)page;
	__builtin_memset(page, 0, LIMPET_PAGE);
	return page;
}

#endif
