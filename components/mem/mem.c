// SPDX-License-Identifier: BSD-2-Clause
/*
 * The memory manager. What it gives is a run of frames, mapped in the window of addresses of the
 * component that calls; the badge says which one that is, so nobody can have memory mapped
 * elsewhere. One lock keeps the records; zeroing happens under it, at most ALLOCATE_MOST pages.
 */
#include <runtime/component.h>
#include <runtime/kernel_call.h>
#include <runtime/lock.h>
#include <runtime/memory.h>
#include <runtime/window.h>

#include <export/mem.h>

#include "frames.h"

#define ALLOCATE_MOST 256 /* pages, see the interface */
#define RECORDS 512
#define RECORDS_OF_ONE 64

/* One allocation. */
struct record {
	uint32_t caller; /* badge, 0: not in use */
	uint32_t page;	 /* in the caller's window */
	uint32_t pages;
	uint32_t frame;
};

static struct lock lock;
static struct frames frames;
static struct record records[RECORDS];
static uint64_t quota;
static uint64_t used[LIMPET_COMPONENTS_MAX + 1]; /* pages, by badge */

static word page_table_of(word badge)
{
	return LIMPET_SLOT_PAGE_TABLES + badge - 1;
}

static uint64_t address_of(const struct record *record)
{
	return limpet_window(record->caller - 1) + record->page * (uint64_t)LIMPET_PAGE;
}

static const struct record *overlap_find(word badge, uint64_t page, uint64_t pages)
{
	for (unsigned int i = 0; i < RECORDS; i++)
		if (records[i].caller == badge && records[i].page < page + pages &&
		    page < records[i].page + records[i].pages)
			return &records[i];
	return NULL;
}

/* The lowest gap of the caller's window; each turn passes one of its at most 64 allocations. */
static bool gap_find(word badge, uint64_t pages, uint32_t *page)
{
	uint64_t at = 0;

	for (unsigned int turn = 0; turn <= RECORDS_OF_ONE; turn++) {
		const struct record *in_the_way = overlap_find(badge, at, pages);

		if (at + pages > quota)
			return false;
		if (!in_the_way) {
			*page = (uint32_t)at;
			return true;
		}
		at = in_the_way->page + in_the_way->pages;
	}
	return false;
}

static struct record *record_free(word badge)
{
	struct record *found = NULL;
	unsigned int own = 0;

	for (unsigned int i = 0; i < RECORDS; i++) {
		own += records[i].caller == badge;
		if (!records[i].caller)
			found = &records[i];
	}
	return own < RECORDS_OF_ONE ? found : NULL;
}

static uint64_t step_of(uint64_t left)
{
	return left < LIMPET_MAP_MAX ? left : LIMPET_MAP_MAX;
}

static void unmap(word badge, uint64_t address, uint64_t pages)
{
	for (uint64_t at = 0; at < pages; at += LIMPET_MAP_MAX)
		limpet_call_pt_unmap(page_table_of(badge), address + at * LIMPET_PAGE,
				     step_of(pages - at));
}

static long map(word badge, uint64_t frame, uint64_t address, uint64_t pages)
{
	for (uint64_t at = 0; at < pages; at += LIMPET_MAP_MAX) {
		long status = limpet_call_pt_map(page_table_of(badge), LIMPET_SLOT_FRAMES,
						 frame + at, address + at * LIMPET_PAGE,
						 step_of(pages - at), LIMPET_READ | LIMPET_WRITE);

		if (status) {
			unmap(badge, address, at);
			return status;
		}
	}
	return LIMPET_OK;
}

/* Zeroes frames through the manager's own window. */
static long zero(uint64_t frame, uint64_t pages)
{
	const word self = limpet_info()->index + 1;
	const uint64_t view = limpet_window(limpet_info()->index);

	for (uint64_t at = 0; at < pages; at += LIMPET_MAP_MAX) {
		uint64_t count = step_of(pages - at);
		long status = map(self, frame + at, view, count);

		if (status)
			return status;
		memset((void *)view, 0, count * LIMPET_PAGE);
		unmap(self, view, count);
	}
	return LIMPET_OK;
}

/* Under the lock. All that can be refused is looked at before anything is taken. */
static long allocate(word badge, uint64_t pages, word *address)
{
	struct record *record = record_free(badge);
	struct record new = { .caller = (uint32_t)badge, .pages = (uint32_t)pages };
	uint64_t frame;
	long status;

	if (!record || used[badge] + pages > quota || !gap_find(badge, pages, &new.page))
		return LIMPET_EQUOTA;
	if (!frames_get(&frames, pages, &frame))
		return LIMPET_ENOMEM;
	new.frame = (uint32_t)frame;
	status = zero(frame, pages);
	if (!status)
		status = map(badge, frame, address_of(&new), pages);
	if (status) {
		frames_put(&frames, frame, pages);
		return LIMPET_ENOMEM;
	}
	*record = new;
	used[badge] += pages;
	*address = address_of(record);
	return LIMPET_OK;
}

static bool badge_valid(word badge)
{
	return badge && badge <= LIMPET_COMPONENTS_MAX;
}

long mem_serve_allocate(word badge, word pages, struct mem_allocate_results *out)
{
	long status;

	if (!badge_valid(badge) || !pages || pages > ALLOCATE_MOST)
		return LIMPET_ERANGE;
	lock_take(&lock);
	status = allocate(badge, pages, &out->address);
	lock_drop(&lock);
	return status;
}

static struct record *record_of(word badge, word address)
{
	for (unsigned int i = 0; i < RECORDS; i++)
		if (records[i].caller == badge && address_of(&records[i]) == address)
			return &records[i];
	return NULL;
}

long mem_serve_free(word badge, word address)
{
	struct record *record;
	long status = LIMPET_ENOENT;

	if (!badge_valid(badge))
		return LIMPET_ENOENT;
	lock_take(&lock);
	record = record_of(badge, address);
	if (record) {
		unmap(badge, address, record->pages);
		frames_put(&frames, record->frame, record->pages);
		used[badge] -= record->pages;
		*record = (struct record){ 0 };
		status = LIMPET_OK;
	}
	lock_drop(&lock);
	return status;
}

long mem_serve_available(word badge, struct mem_available_results *out)
{
	uint64_t left;

	if (!badge_valid(badge))
		return 0;
	out->used = used[badge];
	out->frames = frames.free;
	left = quota - out->used;
	return (long)(left < out->frames ? left : out->frames);
}

long component_init(const struct limpet_info *info)
{
	int64_t wanted = limpet_arg_number(info, "quota-pages", LIMPET_WINDOW_QUOTA);
	struct limpet_out out;
	long status = limpet_call_cap_info(LIMPET_SLOT_TABLE, LIMPET_SLOT_FRAMES, &out);

	if (status)
		return status;
	if (wanted < 1 || (uint64_t)wanted > LIMPET_WINDOW_BYTES / LIMPET_PAGE)
		return LIMPET_ERANGE;
	quota = (uint64_t)wanted;
	frames_setup(&frames, out.w2);
	return LIMPET_OK;
}
