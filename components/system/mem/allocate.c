// SPDX-License-Identifier: BSD-2-Clause
/*
 * Allocations. Each component has its own window of addresses, and the badge identifies the
 * component, so a component cannot get memory mapped in another window. All checks come before any
 * change.
 */
#include <export/mem.h>

#include "bits.h"
#include "frames.h"
#include "mem.h"

static bool rights_valid(word rights)
{
	return rights == 0 || rights == LIMPET_READ || rights == (LIMPET_READ | LIMPET_WRITE);
}

/* Allocates the lowest gap of the client's window. */
static long extent_begin(struct client *client, word pages, word rights, uint32_t *page)
{
	uint64_t found;

	if (!bits_run(client->taken, 0, client->space, pages, &found))
		return LIMPET_EQUOTA;
	*page = (uint32_t)found;
	for (uint64_t i = found; i < found + pages; i++)
		client->page[i] |= PAGE_TAKEN | rights_page(rights);
	client->page[found] |= PAGE_FIRST;
	bits_fill(client->taken, found, pages, true);
	return LIMPET_OK;
}

/* Returns the number of pages without a frame. */
static uint32_t frames_needed(const struct client *client, uint32_t page, uint32_t pages)
{
	uint32_t needed = 0;

	for (uint32_t i = page; i < page + pages; i++)
		needed += !(client->page[i] & PAGE_HAS);
	return needed;
}

static long extent_back(struct client *client, uint32_t page, uint32_t pages)
{
	long status = frames_allow(client, frames_needed(client, page, pages));

	if (status)
		return status;
	for (uint32_t i = page; i < page + pages; i++)
		page_back(client, i);
	return pages_map(client_index(client), client, page, pages, LIMPET_READ | LIMPET_WRITE);
}

static long allocate(struct client *client, uint32_t pages, word *address)
{
	uint32_t page;
	long status = extent_begin(client, pages, LIMPET_READ | LIMPET_WRITE, &page);

	if (status)
		return status;
	status = extent_back(client, page, pages);
	if (status)
		extent_end(client, page, pages);
	else
		*address = page_address(client, page);
	return status;
}

long mem_serve_allocate(word badge, word pages, struct mem_allocate_results *out)
{
	struct client *client;
	long status;

	if (!pages || pages > ALLOCATE_MAX)
		return LIMPET_ERANGE;
	status = client_enter(badge, &client);
	if (status)
		return status;
	return client_leave(allocate(client, (uint32_t)pages, &out->address));
}

long mem_serve_reserve(word badge, word pages, word rights, struct mem_reserve_results *out)
{
	struct client *client;
	uint32_t page;
	long status;

	if (!pages || pages > RANGE_MAX || !rights_valid(rights))
		return LIMPET_ERANGE;
	status = client_enter(badge, &client);
	if (status)
		return status;
	status = extent_begin(client, pages, rights, &page);
	if (!status)
		out->address = page_address(client, page);
	return client_leave(status);
}

/*
 * Frees memory in steps of at most STEP pages, until a step returns a value other than
 * LIMPET_EAGAIN. Other threads get the lock between two steps. If the client is rolled back
 * meanwhile, the remaining steps are not done.
 */
static long in_steps(word badge, long (*step)(struct client *client, word address, word *left),
		     word address, word left)
{
	struct client *client;
	uint32_t epoch = 0;
	long status = client_enter(badge, &client);

	if (!status)
		epoch = client->epoch;
	while (!status) {
		status = client_leave(client->epoch == epoch ? step(client, address, &left)
							     : LIMPET_ECRASH);
		if (status != LIMPET_EAGAIN)
			break;
		status = client_enter(badge, &client);
	}
	return status;
}

/* Frees the last pages of the allocation. The earlier pages stay an allocation. */
static long free_step(struct client *client, word address, word *left)
{
	uint32_t page = (uint32_t)page_at(client, address),
		 pages = extent_of(client, page_at(client, address));
	uint32_t step = pages < STEP ? pages : STEP;

	(void)left;
	if (!pages || address % LIMPET_PAGE)
		return LIMPET_ENOENT;
	if (client->page[page] & PAGE_SHARED)
		share_end(client, page);
	extent_end(client, page + pages - step, step);
	return step < pages ? LIMPET_EAGAIN : LIMPET_OK;
}

long mem_serve_free(word badge, word address)
{
	return in_steps(badge, free_step, address, 0);
}

long mem_serve_available(word badge, struct mem_available_results *out)
{
	struct client *client = client_at(badge - 1);
	uint64_t left;

	if (!client)
		return 0;
	out->used = client->used;
	out->frames = frames_free();
	left = client->quota - out->used;
	return (long)(left < out->frames ? left : out->frames);
}

/* Finds the first page of a range, which must lie in one allocation that is not shared. */
static long range_find(const struct client *client, word address, word pages, uint32_t *page)
{
	uint64_t first = page_at(client, address);

	if (address % LIMPET_PAGE || first >= client->space || pages > client->space - first)
		return LIMPET_ENOENT;
	for (uint64_t i = first; i < first + pages; i++)
		if (!(client->page[i] & PAGE_TAKEN) || (i > first && client->page[i] & PAGE_FIRST))
			return LIMPET_ENOENT;
	*page = (uint32_t)first;
	return client->page[first] & PAGE_SHARED ? LIMPET_EBUSY : LIMPET_OK;
}

static void range_rights(struct client *client, uint32_t page, word pages, word rights)
{
	for (uint64_t i = page; i < page + pages; i++)
		client->page[i] = (client->page[i] & ~PAGE_RIGHTS) | rights_page(rights);
}

/* Frees the last ones of the `*left` pages. */
static long unmap_step(struct client *client, word address, word *left)
{
	uint32_t step = *left < STEP ? (uint32_t)*left : STEP, page;
	long status = range_find(client, address, *left, &page);

	if (status)
		return status;
	*left -= step;
	page += (uint32_t)*left;
	pages_unmap(client_index(client), client, page, step);
	range_rights(client, page, step, 0);
	for (uint32_t i = page; i < page + step; i++)
		page_drop(client, i);
	return *left ? LIMPET_EAGAIN : LIMPET_OK;
}

long mem_serve_unmap(word badge, word address, word pages)
{
	if (!pages || pages > RANGE_MAX)
		return LIMPET_ERANGE;
	return in_steps(badge, unmap_step, address, pages);
}

/*
 * Unmaps and maps the pages again, because the kernel can only reduce the rights of a mapping.
 * Pages with memory and read access are always mapped.
 */
static long protect(struct client *client, word address, word pages, word rights)
{
	uint32_t page;
	long status = range_find(client, address, pages, &page);

	if (status)
		return status;
	pages_unmap(client_index(client), client, page, (uint32_t)pages);
	range_rights(client, page, pages, rights);
	status = pages_map(client_index(client), client, page, (uint32_t)pages, rights);
	if (status) {
		range_rights(client, page, pages, 0);
		status = LIMPET_ENOMEM;
	}
	return status;
}

long mem_serve_protect(word badge, word address, word pages, word rights)
{
	struct client *client;
	long status;

	if (!pages || pages > RANGE_MAX || !rights_valid(rights))
		return LIMPET_ERANGE;
	status = client_enter(badge, &client);
	return status ? status : client_leave(protect(client, address, pages, rights));
}
