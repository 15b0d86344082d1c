// SPDX-License-Identifier: GPL-2.0
/* Allocates physically contiguous pages from the running Linux. */
#include <linux/delay.h>
#include <linux/gfp.h>
#include <linux/io.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>

#include <host/linux/compat.h>
#include <host/linux/parts.h>

#define STEP (4ul << (20 - PAGE_SHIFT)) /* alignment of the tried ranges: 4 MiB */
#define WAIT_MAX (3 * HZ) /* total wait for pages, which usually takes the time of a disk */

/*
 * Takes a range if it is ordinary memory of one zone. Waits until the time `until` for pages that are locked or being
 * written. alloc_contig_range() would wait without a limit for a page of a file whose server does not answer (FUSE), even
 * if this thread is killed. Two such calls for the same pages make each other fail, so a call waits for the other's end.
 * It does so only until `until`, too, because the other one may wait for such a page nevertheless.
 */
static bool run_take(unsigned long pfn, unsigned long pages, unsigned long until)
{
	static DEFINE_MUTEX(one);
	bool alone, taken;

	for (unsigned long i = pfn; i < pfn + pages; i++) {
		struct page *page = pfn_to_online_page(i);

		if (!page || PageReserved(page) || PageHuge(page) ||
		    page_zone(page) != page_zone(pfn_to_page(pfn)))
			return false;
		while (PageLocked(page) || PageWriteback(page))
			if (time_after(jiffies, until) || msleep_interruptible(1))
				return false;
	}
	while (!(alone = mutex_trylock(&one)) && time_before(jiffies, until))
		msleep(1);
	taken = !alloc_contig_range(pfn, pfn + pages, ACR_FLAGS_NONE, GFP_KERNEL | __GFP_NOWARN);
	if (alone)
		mutex_unlock(&one);
	return taken;
}

int region_alloc(struct region *region, unsigned long pages, u64 limit)
{
	unsigned long top = min_t(u64, virt_to_phys(high_memory), limit) >> PAGE_SHIFT;
	const unsigned long until = jiffies + WAIT_MAX;

	/* Twice, because a page that Linux moves or reclaims at the moment makes a range fail. */
	for (unsigned int pass = 0; pass < 2; pass++)
		for (unsigned long pfn = round_down(top - min(top, pages), STEP); pfn >= STEP;
		     pfn -= STEP) {
			if (signal_pending(current))
				return -EINTR;
			cond_resched();
			if (!run_take(pfn, pages, until))
				continue;
			*region = (struct region){ pfn, pages, page_address(pfn_to_page(pfn)) };
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
