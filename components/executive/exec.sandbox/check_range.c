// SPDX-License-Identifier: BSD-2-Clause
/*
 * Refuses calls that change the mapping of the guest's page. brk() needs no check: it does not grow over a mapping, and
 * it unmaps only what lies between the start and the end of the heap. After execve() these are equal, and only
 * PR_SET_MM can change them otherwise.
 */
#include "sandbox.h"

#include <guest/numbers.h>

#define MAP_FIXED 0x10u
#define MREMAP_FIXED 2u
#define MREMAP_DONTUNMAP 4u
#define SHM_REMAP 040000u
#define PR_SET_MM 35u
#define TAG (0x3ful << 57) /* bits of an address that linear address masking ignores */

/*
 * Maximum size of a ring of asynchronous input and output. If a page of the ring was moved, io_destroy() unmaps that
 * many bytes from its new address, including other mappings.
 */
#define RING_BYTES 0x10001000ul

/*
 * Returns whether a page of the range overlaps. Linux refuses a length that leads beyond its
 * addresses.
 */
static bool touches(word address, word length)
{
	word untagged = address & ~TAG;
	word first = untagged & ~(word)(LIMPET_PAGE - 1);
	word end = untagged + (length ? length : 1);

	return end < untagged || (first < RANGE + RANGE_BYTES && end > RANGE);
}

/* Without a fixed address, mmap() uses the address as a hint unless it is 0. */
static bool mmap_touches(const word *argument)
{
	return (argument[0] || argument[3] & MAP_FIXED) && touches(argument[0], argument[1]);
}

static bool mremap_touches(const word *argument)
{
	return touches(argument[0], argument[1]) || touches(argument[0], argument[2]) ||
	       (argument[3] & (MREMAP_FIXED | MREMAP_DONTUNMAP) &&
		touches(argument[4], argument[2] + RING_BYTES));
}

static bool is_touched(const struct call *call)
{
	const word *argument = call->argument;

	switch (call->number) {
	case GUEST_CALL_mmap:
		return mmap_touches(argument);
	case GUEST_CALL_mremap:
		return mremap_touches(argument);
	case GUEST_CALL_shmat:
		return argument[2] & SHM_REMAP || touches(argument[1], 1);
	case GUEST_CALL_prctl:
		return (uint32_t)argument[0] == PR_SET_MM;
	}
	return touches(argument[0], argument[1]);
}

long range_check(const struct call *call)
{
	return is_touched(call) ? REFUSED : 0;
}
