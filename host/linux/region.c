// SPDX-License-Identifier: GPL-2.0
/* Allocates physically contiguous pages from the running Linux. */
#include <linux/gfp.h>
#include <linux/io.h>
#include <linux/mm.h>

#include <host/linux/compat.h>
#include <host/linux/parts.h>

#define STEP (4ul << (20 - PAGE_SHIFT)) /* alignment of the tried ranges: 4 MiB */

/* Returns whether the range is ordinary memory of one zone, so that it can be requested. */
static bool run_usable(unsigned long pfn, unsigned long pages)
{
	struct zone *zone = NULL;

	for (unsigned long i = pfn; i < pfn + pages; i++) {
		struct page *page;

		if (!pfn_valid(i))
			return false;
		page = pfn_to_page(i);
		if (PageReserved(page) || PageHuge(page) || (zone && page_zone(page) != zone))
			return false;
		zone = page_zone(page);
	}
	return true;
}

int region_alloc(struct region *region, unsigned long pages, u64 limit)
{
	unsigned long top = min_t(u64, virt_to_phys(high_memory), limit) >> PAGE_SHIFT;

	for (unsigned long pfn = round_down(top - min(top, pages), STEP); pfn >= STEP;
	     pfn -= STEP) {
		if (signal_pending(current))
			return -EINTR;
		cond_resched();
		if (!run_usable(pfn, pages))
			continue;
		if (alloc_contig_range(pfn, pfn + pages, MIGRATE_MOVABLE,
				       GFP_KERNEL | __GFP_NOWARN))
			continue;
		region->pfn = pfn;
		region->pages = pages;
		region->memory = page_address(pfn_to_page(pfn));
		return 0;
	}
	return -ENOMEM;
}

void region_free(struct region *region)
{
	if (region->pages)
		free_contig_range(region->pfn, region->pages);
	region->pages = 0;
}
