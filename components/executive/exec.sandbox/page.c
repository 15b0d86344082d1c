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

void page_take(unsigned int id, uint32_t process)
{
	process_of_guest[id] = process;
	for (unsigned int i = 0; i < PAGES; i++) {
		unsigned int page = (id + i) % PAGES;

		if (!page_claim(page))
			continue;
		process_of_page[page] = process;
		__atomic_store_n(&page_of[id], page + 1, __ATOMIC_RELEASE);
		return;
	}
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
	return RANGE + copy->page * (word)LIMPET_PAGE + at;
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

/* The range is there already if another thread of the process was attached first: only then it can be revoked. */
bool range_make(void)
{
	long status = executive_map(RANGE, RANGE_BYTES, 0);

	return status == LIMPET_OK ||
	       (status == LIMPET_EFULL && executive_revoke(RANGE, RANGE_BYTES) == LIMPET_OK);
}
