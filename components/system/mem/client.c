// SPDX-License-Identifier: BSD-2-Clause
/*
 * The clients and their records. The records are in frames of the manager, which it accesses in the
 * view.
 */
#include <runtime/component.h>
#include <runtime/kernel_call.h>
#include <runtime/memory.h>
#include <sync/lock.h>

#include "bits.h"
#include "frames.h"
#include "mem.h"

static struct lock lock;
static struct client clients[LIMPET_COMPONENTS_MAX];

uint32_t client_quota(const struct limpet_info *info, uint32_t index)
{
	const struct limpet_info_memory *memory = (const struct limpet_info_memory *)info->memory;

	return memory[index].quota;
}

static bool served(const struct limpet_info *info, uint32_t index)
{
	struct limpet_out out;

	return index != info->index && client_quota(info, index) &&
	       !limpet_call_cap_info(LIMPET_SLOT_TABLE, LIMPET_SLOT_PAGE_TABLES + index, &out);
}

/* Allocates the client's bitmap, followed by its page entries. */
static long client_setup(struct client *client, uint32_t quota)
{
	uint64_t space = (uint64_t)quota * SPACE_FACTOR, words;
	uint32_t first, frames;

	if (space > LIMPET_WINDOW_BYTES / LIMPET_PAGE)
		space = LIMPET_WINDOW_BYTES / LIMPET_PAGE;
	words = (space + 63) / 64;
	frames = (uint32_t)((space * sizeof(*client->page) + words * sizeof(*client->taken) +
			     LIMPET_PAGE - 1) /
			    LIMPET_PAGE);
	if (!frames_get(frames, &first))
		return LIMPET_ENOMEM;
	*client = (struct client){
		.quota = quota,
		.space = (uint32_t)space,
		.taken = frame_view(first),
		.page = (uint32_t *)((uint64_t *)frame_view(first) + words),
	};
	return LIMPET_OK;
}

long clients_setup(const struct limpet_info *info)
{
	long status = LIMPET_OK;

	for (uint32_t i = 0; i < info->components && !status; i++)
		if (served(info, i))
			status = client_setup(&clients[i], client_quota(info, i));
	return status;
}

struct client *client_at(word index)
{
	return index < LIMPET_COMPONENTS_MAX && clients[index].space ? &clients[index] : NULL;
}

uint32_t client_index(const struct client *client)
{
	return (uint32_t)(client - clients);
}

long client_enter(word badge, struct client **client)
{
	struct client *c = client_at(badge - 1);
	uint32_t epoch;

	if (!c)
		return LIMPET_ERANGE;
	epoch = __atomic_load_n(&c->epoch, __ATOMIC_RELAXED);
	lock_take(&lock);
	if (c->epoch != epoch)
		return client_leave(LIMPET_ECRASH);
	*client = c;
	return LIMPET_OK;
}

long client_leave(long status)
{
	lock_drop(&lock);
	return status;
}

uint64_t page_address(const struct client *client, uint32_t page)
{
	return limpet_window(client_index(client)) + page * (uint64_t)LIMPET_PAGE;
}

uint64_t page_at(const struct client *client, word address)
{
	return (address - limpet_window(client_index(client))) / LIMPET_PAGE;
}

uint32_t extent_of(const struct client *client, word page)
{
	uint32_t end;

	if (page >= client->space || !(client->page[page] & PAGE_FIRST))
		return 0;
	for (end = (uint32_t)page + 1; end < client->space; end++)
		if ((client->page[end] & (PAGE_TAKEN | PAGE_FIRST)) != PAGE_TAKEN)
			break;
	return end - (uint32_t)page;
}
