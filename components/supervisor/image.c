// SPDX-License-Identifier: BSD-2-Clause
/* Symbols and unwind records. The image was checked when it was loaded. */
#include "supervisor.h"

const char *image_text(uint32_t string)
{
	return (const char *)supervisor.image + supervisor.image->strings_at + string;
}

static const void *image_at(uint64_t offset)
{
	return (const char *)supervisor.image + offset;
}

static uint64_t first_address(const struct limpet_image_component *c)
{
	const struct limpet_image_segment *segment = image_at(supervisor.image->segments_at);

	return segment[c->segment].address;
}

/*
 * How many of `count` records, sorted by their first member, an offset, begin at or below `offset`.
 * Both kinds of records are two 32-bit numbers.
 */
static uint32_t below(const uint32_t (*record)[2], uint32_t count, uint64_t offset)
{
	uint32_t low = 0;

	while (count) {
		uint32_t half = count / 2;

		if (record[low + half][0] <= offset) {
			low += half + 1;
			count -= half + 1;
		} else {
			count = half;
		}
	}
	return low;
}

bool code_at(uint32_t component, uint64_t address)
{
	const struct limpet_image_component *c = &supervisor.component[component];
	const struct limpet_image_segment *s = image_at(supervisor.image->segments_at);

	for (uint32_t i = c->segment; i < c->segment + c->segments; i++)
		if (s[i].rights & LIMPET_EXEC && address - s[i].address < s[i].size)
			return true;
	return false;
}

void symbol_find(uint32_t component, uint64_t address, struct limpet_crash_place *place)
{
	const struct limpet_image_component *c = &supervisor.component[component];
	const struct limpet_image_symbol *symbol = image_at(supervisor.image->symbols_at);
	uint64_t offset = address - first_address(c);
	uint32_t found;
	const char *name;

	place->address = address;
	place->component = component;
	place->offset = 0;
	place->symbol[0] = 0;
	if (!code_at(component, address))
		return;
	symbol += c->symbol;
	found = below((const void *)symbol, c->symbols, offset);
	if (!found)
		return;
	place->offset = (uint32_t)offset - symbol[found - 1].offset;
	name = image_text(symbol[found - 1].name);
	for (uint32_t i = 0; i + 1 < sizeof(place->symbol) && name[i]; i++) {
		place->symbol[i] = name[i];
		place->symbol[i + 1] = 0;
	}
}

uint32_t unwind_find(uint32_t component, uint64_t address)
{
	const struct limpet_image_component *c = &supervisor.component[component];
	const struct limpet_image_unwind *unwind = image_at(supervisor.image->unwinds_at);
	uint32_t found;

	if (!code_at(component, address))
		return LIMPET_UNWIND_UNKNOWN;
	unwind += c->unwind;
	found = below((const void *)unwind, c->unwinds, address - first_address(c));
	return found ? unwind[found - 1].frame : LIMPET_UNWIND_UNKNOWN;
}
