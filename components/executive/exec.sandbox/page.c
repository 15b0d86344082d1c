// SPDX-License-Identifier: BSD-2-Clause
/*
 * A page for each guest, in which Linux finds the arguments that were checked. A page has a reference for the guest's
 * life, and one for each handler thread that fills it. So a handler thread that the kernel has abandoned, because its
 * guest was killed, cannot write to the page of the next guest with the same id.
 */
#include "sandbox.h"

#include <runtime/memory.h>

static uint8_t pages[PAGES][LIMPET_PAGE] __attribute__((aligned(LIMPET_PAGE)));
static uint32_t references[PAGES];
static uint32_t process_of_page[PAGES];		     /* Linux's id */
static uint32_t process_of_guest[LIMPET_GUESTS_MAX]; /* the same */
static uint32_t page_of[LIMPET_GUESTS_MAX];	     /* 1 + its page; 0: it has none */

/* Takes a page that is free. */
static bool page_claim(unsigned int page)
{
	uint32_t none = 0;

	return __atomic_compare_exchange_n(&references[page], &none, 1, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_RELAXED);
}

/* Adds a reference to a page that is not free. */
static bool page_refer(unsigned int page)
{
	uint32_t count = __atomic_load_n(&references[page], __ATOMIC_ACQUIRE);

	while (count)
		if (__atomic_compare_exchange_n(&references[page], &count, count + 1, false,
						__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return true;
	return false;
}

static void page_release(unsigned int page)
{
	__atomic_fetch_sub(&references[page], 1, __ATOMIC_ACQ_REL);
}

static word page_address(unsigned int page)
{
	return RANGE + page * (word)LIMPET_PAGE;
}

/* Takes the page from all guests that have seen it. */
static void page_hide(unsigned int page)
{
	executive_revoke(page_address(page), LIMPET_PAGE);
}

void page_take(unsigned int id, uint32_t process)
{
	process_of_guest[id] = process;
	for (unsigned int i = 0; i < PAGES; i++) {
		unsigned int page = (id + i) % PAGES;

		if (!page_claim(page))
			continue;
		process_of_page[page] = process;
		page_hide(page);
		__atomic_store_n(&page_of[id], page + 1, __ATOMIC_RELEASE);
		return;
	}
}

void page_hide_of(word guest)
{
	uint32_t page = guest < LIMPET_GUESTS_MAX ? page_of[guest] : 0;

	if (page)
		page_hide(page - 1);
}

void page_drop(unsigned int id)
{
	uint32_t page = __atomic_exchange_n(&page_of[id], 0, __ATOMIC_ACQ_REL);

	if (page)
		page_release(page - 1);
}

bool copy_begin(struct copy *copy, unsigned int id)
{
	uint32_t page = __atomic_load_n(&page_of[id], __ATOMIC_ACQUIRE);

	if (!page || !page_refer(page - 1))
		return false;
	*copy = (struct copy){ page - 1, 0 };
	return true;
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

/* A guest only gets pages of its own process. Any other touch ends in SIGBUS. */
struct executive_answer page_answer(unsigned int id, word address)
{
	word page = (address - RANGE) / LIMPET_PAGE;

	if (page >= PAGES || process_of_page[page] != process_of_guest[id])
		return executive_passed();
	return executive_served((long)pages[page]);
}
