// SPDX-License-Identifier: BSD-2-Clause
/* Refuses calls that change the mapping of the guest's page. */
#include "sandbox.h"

#include <guest/numbers.h>

#define MAP_FIXED 0x10u
#define MREMAP_FIXED 2u
#define SHM_REMAP 040000u

/*
 * Returns whether a page of the range overlaps. Linux refuses a length that leads beyond its
 * addresses.
 */
static bool touches(word address, word length)
{
	word first = address & ~(word)(LIMPET_PAGE - 1);
	word end = address + (length ? length : 1);

	return end < address || (first < RANGE + RANGE_BYTES && end > RANGE);
}

static bool is_touched(const struct call *call)
{
	const word *argument = call->argument;

	switch (call->number) {
	case GUEST_CALL_mmap:
		return argument[3] & MAP_FIXED && touches(argument[0], argument[1]);
	case GUEST_CALL_mremap:
		return touches(argument[0], argument[1]) || touches(argument[0], argument[2]) ||
		       (argument[3] & MREMAP_FIXED && touches(argument[4], argument[2]));
	case GUEST_CALL_shmat:
		return argument[2] & SHM_REMAP;
	}
	return touches(argument[0], argument[1]);
}

long range_check(const struct call *call)
{
	return is_touched(call) ? REFUSED : 0;
}
