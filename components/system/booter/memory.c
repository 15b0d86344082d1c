// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/kernel_call.h>
#include <runtime/memory.h>

#include "booter.h"

/* Window in which the booter maps the memory that it fills, LIMPET_MAP_MAX pages at a time. */
#define VIEW 0x7e0000000000ul

static uint64_t min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Writes `size` bytes and then zeros into `pages` frames, so that no earlier content remains. */
void frames_fill(const struct part *part, word frames, uint64_t offset, uint64_t pages,
		 const void *content, uint64_t size)
{
	long status = limpet_call_pt_map(LIMPET_BOOT_PAGE_TABLE, frames, offset, VIEW, pages,
					 LIMPET_READ | LIMPET_WRITE);

	if (status)
		give_up(part, "map its memory to fill it", status);
	memcpy((void *)VIEW, content, size);
	memset((char *)VIEW + size, 0, pages * PAGE - size);
	limpet_call_pt_unmap(LIMPET_BOOT_PAGE_TABLE, VIEW, pages);
}

void *own_take(uint64_t bytes)
{
	uint64_t end = booter.own + (bytes + 15) / 16 * 16;
	void *memory = (void *)booter.own;

	for (; booter.own_end < end; booter.own_end += PAGE) {
		word frames = frames_take(1);
		long status = limpet_call_pt_map(LIMPET_BOOT_PAGE_TABLE, frames, 0, booter.own_end,
						 1, LIMPET_READ | LIMPET_WRITE);

		if (status)
			give_up(NULL, "map the booter's own memory", status);
		memset((void *)booter.own_end, 0, PAGE);
		slot_drop(frames);
	}
	booter.own = end;
	return memory;
}

long pages_map(const struct part *part, word page_table, word frames, uint64_t offset,
	       uint64_t address, uint64_t count, word rights)
{
	long status = limpet_call_pt_map(page_table, frames, offset, address, count, rights);

	if (status != LIMPET_ENOMEM)
		return status;
	page_table_extend(part, page_table, 1);
	return limpet_call_pt_map(page_table, frames, offset, address, count, rights);
}

void frames_map(const struct part *part, word page_table, word frames, uint64_t address,
		uint64_t pages, word rights, const char *what)
{
	for (uint64_t at = 0; at < pages; at += LIMPET_MAP_MAX) {
		long status = pages_map(part, page_table, frames, at, address + at * PAGE,
					min(pages - at, LIMPET_MAP_MAX), rights);

		if (status)
			give_up(part, what, status);
	}
}

void memory_map_frames(const struct part *part, word frames, uint64_t address, uint64_t pages,
		       word rights, const void *content, uint64_t size)
{
	for (uint64_t at = 0; at < pages; at += LIMPET_MAP_MAX) {
		uint64_t count = min(pages - at, LIMPET_MAP_MAX);
		uint64_t skip = min(size, at * PAGE);

		frames_fill(part, frames, at, count, (const char *)content + skip,
			    min(size - skip, count * PAGE));
	}
	frames_map(part, part->page_table, frames, address, pages, rights, "map its memory");
}

void memory_map(const struct part *part, uint64_t address, uint64_t pages, word rights,
		const void *content, uint64_t size)
{
	word frames;

	if (!pages)
		return;
	frames = frames_take(pages);
	memory_map_frames(part, frames, address, pages, rights, content, size);
	slot_drop(frames);
}

void memory_map_seen(const struct part *part, uint64_t address, uint64_t pages, word rights,
		     uint64_t view, const void *content, uint64_t size)
{
	word frames;

	if (!pages)
		return;
	frames = frames_take(pages);
	memory_map_frames(part, frames, address, pages, rights, content, size);
	if (view)
		frames_map(part, part->supervisor->page_table, frames, view, pages,
			   LIMPET_READ | LIMPET_WRITE, "map its memory in its supervisor");
	slot_drop(frames);
}

void memory_map_image(const struct part *part, uint64_t address, uint64_t at, uint64_t size,
		      word rights)
{
	for (uint64_t done = 0; done < size; done += LIMPET_MAP_MAX * PAGE) {
		uint64_t count = min((size - done + PAGE - 1) / PAGE, LIMPET_MAP_MAX);
		long status = pages_map(part, part->page_table, LIMPET_BOOT_IMAGE,
					(at + done) / PAGE, address + done, count, rights);

		if (status)
			give_up(part, "map the image", status);
	}
}
