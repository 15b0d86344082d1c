// SPDX-License-Identifier: BSD-2-Clause
/* Memory of pages, and their mappings. */
#include <runtime/kernel_call.h>

#include "bits.h"
#include "frames.h"
#include "mem.h"

#define SLOT_TABLES (LIMPET_SLOT_FREE + 3) /* a frame that will become part of a page table */

long frames_allow(const struct client *client, uint32_t pages)
{
	if (pages > client->quota - client->used)
		return LIMPET_EQUOTA;
	return pages > frames_free() ? LIMPET_ENOMEM : LIMPET_OK;
}

void page_back(struct client *client, uint32_t page)
{
	uint32_t entry = client->page[page];

	if (!(entry & PAGE_HAS)) {
		entry = (entry & ~PAGE_FRAME) | PAGE_HAS | frame_get();
		client->used++;
	}
	client->page[page] = entry & ~PAGE_STALE;
}

void page_drop(struct client *client, uint32_t page)
{
	uint32_t entry = client->page[page];

	if (!(entry & PAGE_HAS))
		return;
	if (!(entry & PAGE_STALE))
		frame_zero(entry & PAGE_FRAME);
	if (client->saved && client->saved[page] & PAGE_HAS) {
		client->page[page] = entry | PAGE_STALE;
		return;
	}
	frames_put(entry & PAGE_FRAME, 1);
	client->used--;
	client->page[page] = entry & ~(PAGE_FRAME | PAGE_HAS | PAGE_STALE);
}

static word page_table_of(uint32_t component)
{
	return LIMPET_SLOT_PAGE_TABLES + component;
}

/*
 * Adds a frame to the lower levels of a component's page table. It counts against the component's
 * quota permanently.
 */
static long page_table_extend(uint32_t component)
{
	struct client *client = client_at(component);
	long status = frames_allow(client, 1);
	uint32_t frame;

	if (status)
		return status;
	frame = frame_get();
	if (frames_name(frame, 1, LIMPET_SLOT_TABLE, SLOT_TABLES)) {
		status = limpet_call_pt_extend(page_table_of(component), SLOT_TABLES);
		while (limpet_call_cap_delete(LIMPET_SLOT_TABLE, SLOT_TABLES) == LIMPET_EAGAIN)
			;
		if (!status) {
			client->used++;
			return LIMPET_OK;
		}
		frames_show(frame, 1);
	}
	frames_put(frame, 1);
	return LIMPET_ENOMEM;
}

/* Maps adjacent frames. A new entry can need a new page of each level below the root. */
static long run_map(uint32_t in, uint32_t frame, word address, uint32_t pages, word rights)
{
	for (;;) {
		long status = limpet_call_pt_map(page_table_of(in), LIMPET_SLOT_FRAMES, frame,
						 address, pages, rights);

		if (status != LIMPET_ENOMEM)
			return status ? LIMPET_ENOMEM : LIMPET_OK;
		status = page_table_extend(in);
		if (status)
			return status;
	}
}

long page_map(const struct client *owner, uint32_t page)
{
	uint32_t entry = owner->page[page];

	return run_map(client_index(owner), entry & PAGE_FRAME, page_address(owner, page), 1,
		       page_rights(entry));
}

/*
 * Returns how many pages, at least 1, one kernel call can map: adjacent frames with the same
 * rights.
 */
static uint32_t run_of(const uint32_t *entry, uint32_t left)
{
	const uint32_t same = PAGE_HAS | PAGE_STALE | PAGE_RIGHTS | PAGE_FRAME;
	uint32_t pages = 1;

	while (pages < left && pages < LIMPET_MAP_MAX &&
	       (entry[pages] & same) == (entry[0] & same) + pages)
		pages++;
	return pages;
}

long pages_map(uint32_t in, const struct client *owner, uint32_t page, uint32_t pages, word rights)
{
	uint32_t run;

	for (uint32_t done = 0; done < pages; done += run) {
		const uint32_t *entry = &owner->page[page + done];
		word allowed = page_rights(*entry) & rights;
		long status;

		run = 1;
		if (!page_backed(*entry) || !allowed)
			continue;
		run = run_of(entry, pages - done);
		status = run_map(in, *entry & PAGE_FRAME, page_address(owner, page + done), run,
				 allowed);
		if (status) {
			pages_unmap(in, owner, page, done);
			return status;
		}
	}
	return LIMPET_OK;
}

static bool any_backed(const uint32_t *entry, uint32_t pages)
{
	for (uint32_t i = 0; i < pages; i++)
		if (page_backed(entry[i]))
			return true;
	return false;
}

/* Unmaps pages. Skips parts without memory, because they are not mapped. */
void pages_unmap(uint32_t in, const struct client *owner, uint32_t page, uint32_t pages)
{
	for (uint32_t at = 0; at < pages; at += LIMPET_MAP_MAX) {
		uint32_t step = pages - at < LIMPET_MAP_MAX ? pages - at : LIMPET_MAP_MAX;

		if (any_backed(&owner->page[page + at], step))
			limpet_call_pt_unmap(page_table_of(in), page_address(owner, page + at),
					     step);
	}
}

void extent_end(struct client *client, uint32_t page, uint32_t pages)
{
	pages_unmap(client_index(client), client, page, pages);
	for (uint32_t i = page; i < page + pages; i++) {
		page_drop(client, i);
		client->page[i] &= PAGE_FRAME | PAGE_HAS | PAGE_STALE;
	}
	bits_fill(client->taken, page, pages, false);
}
