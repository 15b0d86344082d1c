// SPDX-License-Identifier: BSD-2-Clause
/* Marks and restores the memory of a component. Works in steps, so that other calls wait for at most one step. */
#include <runtime/component.h>
#include <runtime/memory.h>

#include <export/mem_keeper.h>

#include "bits.h"
#include "frames.h"
#include "mem.h"

static uint32_t saved_frames(const struct client *client)
{
	return (uint32_t)((client->space * sizeof(*client->saved) + LIMPET_PAGE - 1) / LIMPET_PAGE);
}

static uint32_t saved_first(const struct client *client)
{
	return (uint32_t)((uint64_t)((char *)client->saved - (char *)frame_view(0)) / LIMPET_PAGE);
}

/* Frees the frame of a page's copy, and the page's own frame if only the mark needed it. */
static void page_forget(struct client *client, uint32_t page)
{
	uint32_t saved = client->saved[page];

	client->saved[page] = 0;
	if (saved & PAGE_HAS) {
		frame_zero(saved & PAGE_FRAME);
		frames_put(saved & PAGE_FRAME, 1);
	}
	if (client->page[page] & PAGE_STALE)
		page_drop(client, page);
}

static uint32_t step_end(const struct client *client, uint32_t from)
{
	return client->space - from < STEP ? client->space : from + STEP;
}

/* Frees the copies of one step. The last step also frees the entries, which are zero then. */
static long step_forget(struct client *client, uint32_t from)
{
	if (!from)
		shares_forget(client);
	for (uint32_t i = from; client->saved && i < step_end(client, from); i++)
		page_forget(client, i);
	if (client->saved && step_end(client, from) == client->space) {
		frames_put(saved_first(client), saved_frames(client));
		client->saved = NULL;
	}
	return LIMPET_OK;
}

static long mark_begin(struct client *client)
{
	uint32_t first;

	if (!frames_get(saved_frames(client), &first))
		return LIMPET_ENOMEM;
	client->saved = frame_view(first);
	shares_mark(client);
	return LIMPET_OK;
}

static long page_mark(struct client *client, uint32_t page)
{
	uint32_t entry = client->page[page], frame;

	if (!page_backed(entry)) {
		client->saved[page] = entry & ~(PAGE_FRAME | PAGE_HAS | PAGE_STALE);
		return LIMPET_OK;
	}
	if (!frames_get(1, &frame))
		return LIMPET_ENOMEM;
	frame_copy(frame, entry & PAGE_FRAME);
	client->saved[page] = (entry & ~PAGE_FRAME) | frame;
	return LIMPET_OK;
}

static long step_mark(struct client *client, uint32_t from)
{
	long status = from ? LIMPET_OK : mark_begin(client);

	for (uint32_t i = from; i < step_end(client, from) && !status; i++)
		status = page_mark(client, i);
	return status;
}

/* Calls `step` for all pages. Holds the lock during each step. */
static long each_step(word component, long (*step)(struct client *client, uint32_t from))
{
	struct client *client = client_at(component);
	long status = client ? LIMPET_OK : LIMPET_ENOENT;

	for (uint32_t from = 0; !status && from < client->space; from += STEP) {
		status = client_enter(component + 1, &client);
		if (!status)
			status = client_leave(step(client, from));
	}
	return status;
}

long mem_keeper_serve_mark(word badge, word component)
{
	long status = each_step(component, step_forget);

	(void)badge;
	if (!status)
		status = each_step(component, step_mark);
	if (status == LIMPET_ENOMEM)
		each_step(component, step_forget);
	return status;
}

long mem_keeper_serve_forget(word badge, word component)
{
	(void)badge;
	return each_step(component, step_forget);
}

/* Returns the rights with which a page is mapped; 0: not mapped. */
static word mapped_as(uint32_t entry)
{
	return page_backed(entry) ? page_rights(entry) : 0;
}

/* Changes a page's entry and its mapping. Mapping succeeds, because a page mapped at the mark has its page tables. */
static void page_become(struct client *client, uint32_t page, uint32_t entry)
{
	bool remap = mapped_as(client->page[page]) != mapped_as(entry);

	if (remap)
		pages_unmap(client_index(client), client, page, 1);
	if (!(entry & PAGE_HAS))
		page_drop(client, page);
	client->page[page] = entry;
	bits_fill(client->taken, page, 1, entry & PAGE_TAKEN);
	if (remap && mapped_as(entry) && page_map(client, page))
		client->page[page] &= ~PAGE_RIGHTS;
}

/* Restores a page. If it had memory at the mark, it still has its frame. A page that is shared now is not changed. */
static void page_rollback(struct client *client, uint32_t page)
{
	uint32_t now = client->page[page], then = client->saved ? client->saved[page] : 0;

	if (now & PAGE_SHARED)
		return;
	if (then & PAGE_HAS) {
		frame_copy(now & PAGE_FRAME, then & PAGE_FRAME);
		then = (then & ~PAGE_FRAME) | (now & PAGE_FRAME);
	}
	page_become(client, page, then & ~PAGE_SHARED);
}

static long step_rollback(struct client *client, uint32_t from)
{
	if (!from)
		shares_rollback(client);
	for (uint32_t i = from; i < step_end(client, from); i++)
		page_rollback(client, i);
	return LIMPET_OK;
}

/* Changes the epoch first, so that calls that wait for the lock do not change anything. */
long mem_keeper_serve_rollback(word badge, word component)
{
	struct client *client = client_at(component);

	(void)badge;
	if (client)
		__atomic_fetch_add(&client->epoch, 1, __ATOMIC_RELAXED);
	return each_step(component, step_rollback);
}
