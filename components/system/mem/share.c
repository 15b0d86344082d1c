// SPDX-License-Identifier: BSD-2-Clause
/*
 * Shared memory: allocations that other components may attach. The caller's badge cannot be forged,
 * so the address is enough to name a granted allocation.
 */
#include <runtime/component.h>

#include <export/mem.h>

#include "frames.h"
#include "mem.h"

#define SHARES 128
#define SHARES_OF_ONE 16

struct set {
	uint64_t bits[LIMPET_COMPONENTS_MAX / 64];
};

/* An allocation that other components may attach. It is unused if `pages` is 0. */
struct share {
	uint32_t owner, page, pages;
	struct set granted, writable, attached;
	struct set marked; /* still granted since its owner's mark */
};

static struct share shares[SHARES];

static bool set_has(const struct set *set, uint32_t member)
{
	return set->bits[member / 64] >> member % 64 & 1;
}

static void set_put(struct set *set, uint32_t member, bool in)
{
	if (in)
		set->bits[member / 64] |= 1ul << member % 64;
	else
		set->bits[member / 64] &= ~(1ul << member % 64);
}

static struct share *share_find(const struct client *owner, uint64_t page)
{
	for (unsigned int i = 0; i < SHARES; i++)
		if (shares[i].pages && shares[i].owner == client_index(owner) &&
		    shares[i].page == page)
			return &shares[i];
	return NULL;
}

static long share_new(const struct client *owner, struct share **share)
{
	unsigned int own = 0;

	*share = NULL;
	for (unsigned int i = 0; i < SHARES; i++) {
		if (!shares[i].pages)
			*share = &shares[i];
		else
			own += shares[i].owner == client_index(owner);
	}
	if (own >= SHARES_OF_ONE)
		return LIMPET_EQUOTA;
	return *share ? LIMPET_OK : LIMPET_EFULL;
}

/* Returns whether all pages can be shared: they have memory, which their owner can write. */
static bool extent_whole(const struct client *client, uint64_t page, uint32_t pages)
{
	for (uint64_t i = page; i < page + pages; i++)
		if (!page_backed(client->page[i]) || !(client->page[i] & PAGE_WRITE))
			return false;
	return true;
}

static void extent_shared(struct client *client, const struct share *share, bool is)
{
	for (uint32_t i = share->page; i < share->page + share->pages; i++)
		client->page[i] = is ? client->page[i] | PAGE_SHARED
				     : client->page[i] & ~PAGE_SHARED;
}

static long grant(struct client *client, word address, word component, word rights)
{
	uint64_t page = page_at(client, address);
	uint32_t pages = extent_of(client, page);
	struct share *share;
	long status;

	if (!pages || address % LIMPET_PAGE || !client_at(component) ||
	    client_at(component) == client)
		return LIMPET_ENOENT;
	if (!extent_whole(client, page, pages))
		return LIMPET_ESTATE;
	share = share_find(client, page);
	if (!share) {
		status = share_new(client, &share);
		if (status)
			return status;
		*share = (struct share){ .owner = client_index(client), (uint32_t)page, pages };
		extent_shared(client, share, true);
	}
	set_put(&share->granted, (uint32_t)component, true);
	set_put(&share->writable, (uint32_t)component, rights & LIMPET_WRITE);
	return LIMPET_OK;
}

long mem_serve_grant(word badge, word address, word component, word rights)
{
	struct client *client;
	long status;

	if (rights != LIMPET_READ && rights != (LIMPET_READ | LIMPET_WRITE))
		return LIMPET_ERANGE;
	status = client_enter(badge, &client);
	return status ? status : client_leave(grant(client, address, component, rights));
}

static void member_detach(struct share *share, uint32_t member)
{
	pages_unmap(member, client_at(share->owner), share->page, share->pages);
	set_put(&share->attached, member, false);
}

/* Revokes a grant. The last one ends the share. */
static void member_revoke(struct share *share, uint32_t member)
{
	uint64_t left = 0;

	if (set_has(&share->attached, member))
		member_detach(share, member);
	set_put(&share->granted, member, false);
	set_put(&share->marked, member, false);
	for (unsigned int i = 0; i < LIMPET_COMPONENTS_MAX / 64; i++)
		left |= share->granted.bits[i];
	if (left)
		return;
	extent_shared(client_at(share->owner), share, false);
	*share = (struct share){ 0 };
}

/* Revokes the grants of all components that are not in `kept`. */
static void members_revoke(struct share *share, const struct set *kept)
{
	for (uint32_t i = 0; i < LIMPET_COMPONENTS_MAX && share->pages; i++)
		if (set_has(&share->granted, i) && !set_has(kept, i))
			member_revoke(share, i);
}

static void share_drop(struct share *share)
{
	members_revoke(share, &(struct set){ 0 });
}

void share_end(struct client *client, uint32_t page)
{
	struct share *share = share_find(client, page);

	if (share)
		share_drop(share);
}

static long share_revoke(struct client *client, word address, word component)
{
	struct share *share = address % LIMPET_PAGE ? NULL
						    : share_find(client, page_at(client, address));

	if (!share)
		return LIMPET_ENOENT;
	if (!component) {
		share_drop(share);
		return LIMPET_OK;
	}
	if (!client_at(component) || !set_has(&share->granted, (uint32_t)component))
		return LIMPET_ENOENT;
	member_revoke(share, (uint32_t)component);
	return LIMPET_OK;
}

long mem_serve_revoke(word badge, word address, word component)
{
	struct client *client;
	long status = client_enter(badge, &client);

	return status ? status : client_leave(share_revoke(client, address, component));
}

/* Returns the share that starts at the address and is granted to the component, or NULL. */
static struct share *granted_find(uint32_t component, word address)
{
	const struct client *owner = client_at(limpet_window_owner(address));
	struct share *share = owner && address % LIMPET_PAGE == 0
				      ? share_find(owner, page_at(owner, address))
				      : NULL;

	return share && set_has(&share->granted, component) ? share : NULL;
}

static long attach(uint32_t component, word address)
{
	struct share *share = granted_find(component, address);
	word rights = LIMPET_READ;
	long status;

	if (!share)
		return LIMPET_ENOENT;
	if (set_has(&share->attached, component))
		return LIMPET_EBUSY;
	if (set_has(&share->writable, component))
		rights |= LIMPET_WRITE;
	status = pages_map(component, client_at(share->owner), share->page, share->pages, rights);
	if (status)
		return status;
	set_put(&share->attached, component, true);
	return share->pages;
}

long mem_serve_attach(word badge, word address)
{
	struct client *client;
	long status = client_enter(badge, &client);

	return status ? status : client_leave(attach(client_index(client), address));
}

static long detach(uint32_t component, word address)
{
	struct share *share = granted_find(component, address);

	if (!share || !set_has(&share->attached, component))
		return LIMPET_ENOENT;
	member_detach(share, component);
	return LIMPET_OK;
}

long mem_serve_detach(word badge, word address)
{
	struct client *client;
	long status = client_enter(badge, &client);

	return status ? status : client_leave(detach(client_index(client), address));
}

void shares_mark(const struct client *client)
{
	for (unsigned int i = 0; i < SHARES; i++)
		if (shares[i].owner == client_index(client))
			shares[i].marked = shares[i].granted;
}

void shares_forget(const struct client *client)
{
	for (unsigned int i = 0; i < SHARES; i++)
		if (shares[i].owner == client_index(client))
			shares[i].marked = (struct set){ 0 };
}

void shares_rollback(struct client *client)
{
	for (unsigned int i = 0; i < SHARES; i++)
		if (shares[i].owner == client_index(client))
			members_revoke(&shares[i], &shares[i].marked);
}
