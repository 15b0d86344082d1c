// SPDX-License-Identifier: BSD-2-Clause
/*
 * Each guest has a page, in which Linux finds the checked arguments. The page must not change until Linux has read
 * them. However, the kernel can abandon a handler thread. That thread then executes at the same time as the next one,
 * for the same guest or for another one with the same id. So a page has a reference for its guest, and one for each
 * handler thread that uses it. If a handler thread finds another one at its guest's page, it assigns another page to
 * the guest. An abandoned thread does not do that, because the kernel refuses its calls.
 */
#include "sandbox.h"

#include <runtime/memory.h>

#define ALONE 2 /* references of a page that its guest and one handler thread have */
#define TRIES 4 /* attempts to get a page that no other handler thread uses */

static uint8_t pages[PAGES][LIMPET_PAGE] __attribute__((aligned(LIMPET_PAGE)));
static uint32_t references[PAGES];
static uint32_t guest_of[PAGES];	    /* id of the page's guest */
static uint32_t page_of[LIMPET_GUESTS_MAX]; /* 1 + the guest's page; 0: no page */
static uint32_t thread_of[LIMPET_GUESTS_MAX], process_of[LIMPET_GUESTS_MAX]; /* Linux's ids */

/* Reserves a free page. Returns false if the page is in use. */
static bool page_claim(unsigned int page)
{
	uint32_t none = 0;

	return __atomic_compare_exchange_n(&references[page], &none, 1, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_RELAXED);
}

/* Adds a reference to a page in use. Returns the number of references, or 0 if the page is free. */
static uint32_t page_refer(unsigned int page)
{
	uint32_t count = __atomic_load_n(&references[page], __ATOMIC_ACQUIRE);

	while (count)
		if (__atomic_compare_exchange_n(&references[page], &count, count + 1, false,
						__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return count + 1;
	return 0;
}

static void page_release(unsigned int page)
{
	__atomic_fetch_sub(&references[page], 1, __ATOMIC_ACQ_REL);
}

static word page_address(unsigned int page)
{
	return RANGE + page * (word)LIMPET_PAGE;
}

/* Unmaps the page in all guests that have seen it. */
static void page_hide(unsigned int page)
{
	executive_revoke(page_address(page), LIMPET_PAGE);
}

/*
 * Returns 1 + the number of an empty page that no guest sees, with one reference, or 0 if all pages are in use. The page
 * is cleared because an earlier guest's paths and addresses can be in it.
 */
static uint32_t page_find(unsigned int id)
{
	for (unsigned int i = 0; i < PAGES; i++) {
		unsigned int page = (id + i) % PAGES;

		if (!page_claim(page))
			continue;
		guest_of[page] = id;
		page_hide(page);
		memset(pages[page], 0, LIMPET_PAGE);
		return page + 1;
	}
	return 0;
}

/* Adds a reference to the guest's page, if it has one. Returns 1 + the page, or 0. Sets *count to the references. */
static uint32_t page_hold(unsigned int id, uint32_t *count)
{
	uint32_t page;

	for (;;) {
		page = __atomic_load_n(&page_of[id], __ATOMIC_ACQUIRE);
		*count = page ? page_refer(page - 1) : 0;
		if (!page)
			return 0;
		/* Before the reference was added, the page can have become another guest's. */
		if (*count && __atomic_load_n(&page_of[id], __ATOMIC_ACQUIRE) == page)
			return page;
		if (*count)
			page_release(page - 1);
	}
}

/* Exchanges the guest's page `old`, to which the caller has a reference. Returns whether it was still the guest's. */
static bool page_exchange(unsigned int id, uint32_t old, uint32_t new)
{
	uint32_t expected = old;
	bool done = __atomic_compare_exchange_n(&page_of[id], &expected, new, false,
						__ATOMIC_ACQ_REL, __ATOMIC_RELAXED);

	if (done && old)
		page_release(old - 1);
	return done;
}

/* Returns whether the calling handler thread handles an event, and was not abandoned. */
static bool is_current(void)
{
	struct limpet_out out;

	return limpet_call_guest_registers(0, &out) == LIMPET_OK;
}

/*
 * Assigns another page to the guest, or no page if all are in use. The caller may be abandoned after is_current(). Then
 * the next handler thread finds the caller's reference to the old page, and exchanges the page itself. The caller's
 * exchange then fails.
 */
static void page_renew(unsigned int id)
{
	uint32_t count, old = page_hold(id, &count), new;

	if (is_current()) {
		new = page_find(id);
		if (!page_exchange(id, old, new) && new)
			page_release(new - 1);
	}
	if (old)
		page_release(old - 1);
}

/* A guest that had the id can still have a page, if its end is not handled yet. That page must not be used. */
void page_take(unsigned int id, uint32_t thread, uint32_t process)
{
	thread_of[id] = thread;
	process_of[id] = process;
	page_renew(id);
}

/* The id can belong to another guest already, if the kernel has abandoned the calling handler thread. */
void page_drop(unsigned int id, uint32_t thread)
{
	uint32_t count, page = page_hold(id, &count);

	if (!page)
		return;
	if (thread_of[id] == thread)
		page_exchange(id, page, 0);
	page_release(page - 1);
}

void page_hide_of(word guest)
{
	uint32_t page = guest < LIMPET_GUESTS_MAX ? page_of[guest] : 0;

	if (page)
		page_hide(page - 1);
}

bool copy_begin(struct copy *copy, unsigned int id)
{
	for (unsigned int i = 0; i < TRIES; i++) {
		uint32_t count, page = page_hold(id, &count);

		*copy = (struct copy){ page - 1, 0 };
		if (count == ALONE)
			return true;
		if (page)
			page_release(page - 1);
		page_renew(id);
	}
	return false;
}

word copy_add(struct copy *copy, const void *data, size_t size)
{
	size_t at = (copy->used + sizeof(word) - 1) & ~(sizeof(word) - 1);

	if (size > LIMPET_PAGE - at)
		return 0;
	memcpy(pages[copy->page] + at, data, size);
	copy->used = at + size;
	return page_address(copy->page) + at;
}

void copy_end(struct copy *copy)
{
	page_release(copy->page);
}

/* Returns whether the page belongs to a guest of the same process. A free page does not belong to any guest. */
static bool page_shared(unsigned int id, word page)
{
	uint32_t owner = guest_of[page];

	return page_of[owner] == page + 1 && process_of[owner] == process_of[id];
}

/* Returns a page to a guest of the page's process. All other accesses end in SIGBUS. */
struct executive_answer page_answer(unsigned int id, word address)
{
	word page = (address - RANGE) / LIMPET_PAGE;

	if (page >= PAGES || !page_shared(id, page))
		return executive_passed();
	return executive_served((long)pages[page]);
}
