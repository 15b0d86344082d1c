// SPDX-License-Identifier: BSD-2-Clause
/* The pages that guests get in ranges of call 509. Page n of a guest is page n modulo 64 of the memory. */
#include "probe.h"

#define PAGES 64

static uint8_t memory[PAGES][LIMPET_PAGE] __attribute__((aligned(LIMPET_PAGE)));
static word batch;

void pages_init(word pages)
{
	batch = pages;
	for (word i = 0; i < PAGES; i++)
		*(word *)memory[i] = i;
}

struct executive_answer pages_answer(word address)
{
	word first = address / LIMPET_PAGE % PAGES;
	word count = batch < PAGES - first ? batch : PAGES - first;

	counter_add(COUNT_FAULTS);
	return (struct executive_answer){ LIMPET_GUEST_PAGES(count), (word)memory[first] };
}
